// Finds requests that do not begin with the whole request before them. Such a request cannot use the provider's cache.

import type { WireRequest } from "./server.ts";

export interface PrefixBreak {
  /** Number of the request at the server. */
  request: number;
  /** The first part that differs: "tools", "system", or a message by its index. */
  part: string;
  was: string;
  now: string;
}

/** Compares each request with the one before it. Pass the requests of one agent; see `conversations`. */
export function prefixBreaks(requests: readonly WireRequest[]): PrefixBreak[] {
  return requests.slice(1).flatMap((request, index) => {
    const { prefix: before } = requests[index]!;
    const { prefix: after, n } = request;
    const at = before.findIndex((part, position) => part !== after[position]);
    if (at === -1) return [];
    return [{ request: n, part: partName(request, at), was: before[at]!, now: after[at] ?? "nothing" }];
  });
}

/** The requests of each agent. Requests belong together if they have the same beginning: the system prompt and the first message. */
export function conversations(requests: readonly WireRequest[]): WireRequest[][] {
  return [...Map.groupBy(requests, ({ system, first }) => JSON.stringify([system, first])).values()];
}

/** OpenAI's APIs send the system prompt as the first message. */
function partName({ provider }: WireRequest, at: number): string {
  const hasOwnSystem = provider !== "chat";
  if (at === 0) return "tools";
  if (at === 1) return "system";
  return `message ${at - (hasOwnSystem ? 2 : 1)}`;
}
