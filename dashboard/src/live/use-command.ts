// Builds CLI commands that work in any terminal of the server's machine. The server knows how it was started and where
// its project is.

import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "./queries.ts";

/** Returns a function that turns arguments like `show 01J…` into a complete command. */
export function useCommand(): (words: string) => string {
  const { data } = useQuery(healthQuery);
  return (words) => `${data?.command ?? "cadre"} ${words}`;
}
