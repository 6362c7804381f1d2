// Commands as they work in any terminal of the server's machine: the server knows how it is started, and where its project is.

import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "./queries.ts";

/** Completes what comes after the program's name: `show 01J…`. */
export function useCommand(): (words: string) => string {
  const { data } = useQuery(healthQuery);
  return (words) => `${data?.command ?? "cadre"} ${words}`;
}
