// Finds requests that do not begin with the complete previous request. Such a request cannot use all of the provider's cache.

import type { WireRequest } from "./server.ts";

export interface PrefixBreak {
  /** Number of the request at the server. */
  request: number;
  /** The first part that differs: "tools", "system", "settings" (tool choice and thinking), or a message by its index. */
  part: string;
  was: string;
  now: string;
}

/** Compares each request with the previous one. Pass the requests of one run or of one agent, see `byRun` and `byAgent`. */
export function prefixBreaks(requests: readonly WireRequest[]): PrefixBreak[] {
  return requests.slice(1).flatMap(({ n, prefix: after }, index) => {
    const { prefix: before } = requests[index]!;
    const at = before.findIndex(({ text }, position) => text !== after[position]?.text);
    const { where: part, text: was } = before[at] ?? {};
    if (part === undefined || was === undefined) return [];
    return [{ request: n, part, was, now: after[at]?.text ?? "nothing" }];
  });
}

/** The requests of each run. */
export const byRun = (requests: readonly WireRequest[]): WireRequest[][] => [
  ...Map.groupBy(requests, ({ run }) => run).values(),
];

/** The requests of each agent. An agent's run continues its earlier run, for example in the rounds of a team. */
export const byAgent = (requests: readonly WireRequest[]): WireRequest[][] => [
  ...Map.groupBy(requests, ({ agent }) => agent).values(),
];
