import { useCommand } from "../../live/use-command.ts";
import { Copyable } from "../../ui/copyable.tsx";

/** A complete Cadre command to paste into a terminal; `words` follow the program's name. */
export function Command({ words }: { words: string }) {
  return <Copyable text={useCommand()(words)} label="Copy the command" wraps />;
}
