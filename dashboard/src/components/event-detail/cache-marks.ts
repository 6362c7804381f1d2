// Estimates which parts of a request the provider read from its cache. A provider reports only a number of tokens.
// It caches a request from its beginning: tools, system prompt, messages. So the first parts are the cached ones.

import type { ModelRequest } from "../../../../src/api/client/types.ts";

export type CacheMark = "cached" | "partly" | "new";

export interface CacheMarks {
  tools: CacheMark | undefined;
  system: CacheMark | undefined;
  messages: (CacheMark | undefined)[];
}

/** Tokens are estimated from characters, so the end of the cached part is not exact. */
const TOLERANCE = 0.03;

export function cacheMarks(
  request: Pick<ModelRequest, "tools" | "system" | "messages" | "usage">,
): CacheMarks {
  const { tools, system, messages, usage } = request;
  const sizes = [JSON.stringify(tools).length, system.length, ...messages.map(sizeOf)];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const { input = 0, cacheRead } = usage ?? {};
  if (cacheRead === undefined || input === 0)
    return { tools: undefined, system: undefined, messages: messages.map(() => undefined) };
  const cached = (Math.min(cacheRead, input) / input) * total;
  const slack = total * TOLERANCE;
  let end = 0;
  const [first, second, ...rest] = sizes.map((size): CacheMark => {
    const start = end;
    end += size;
    if (cacheRead > 0 && end <= cached + slack) return "cached";
    return cacheRead === 0 || start >= cached - slack ? "new" : "partly";
  });
  return { tools: first, system: second, messages: rest };
}

const sizeOf = (message: ModelRequest["messages"][number]): number => JSON.stringify(message.content).length;
