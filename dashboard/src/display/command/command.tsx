import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "../../live/queries.ts";
import { Copyable } from "../../ui/copy-button.tsx";

/** A complete Cadre command to paste into a terminal. `words` are its arguments. */
export function Command({ words }: { words: string }) {
  return <Copyable text={useCommand()(words)} label="Copy the command" wraps />;
}

/**
 * Returns a function that turns arguments like `show 01J…` into a complete command.
 * The command works in any terminal on the server's machine.
 * The server reports how it was started and where its project is.
 */
export function useCommand(): (words: string) => string {
  const { data } = useQuery(healthQuery);
  return (words) => `${data?.command ?? "cadre"} ${words}`;
}
