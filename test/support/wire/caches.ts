// Models of the providers' prompt caches. Four characters count as one token.

import { createHash } from "node:crypto";
import type { PrefixPart, WireUsage } from "./protocol.ts";

export const tokensIn = (value: unknown): number =>
  Math.ceil((typeof value === "string" ? value : (JSON.stringify(value) ?? "")).length / 4);

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

type Counted = Omit<WireUsage, "output">;

export interface CachedBlock {
  text: string;
  /** Settings of the request. If one of them changes, the cache is useless from this block on. Settings cost no tokens. */
  settings?: string;
  /** Whether the request marks the end of this block as a breakpoint. */
  isBreakpoint: boolean;
}

/** Prompts with fewer tokens are not cached. */
const MINIMUM = 1_024;
/** The number of blocks before a breakpoint in which Anthropic searches for an earlier breakpoint. */
const SEARCHED_BLOCKS = 20;

/** Anthropic caches only up to breakpoints. A request reads up to an earlier breakpoint and writes up to its own last one. */
export function breakpointCache(): (model: string, blocks: readonly CachedBlock[]) => Counted {
  const cached = new Set<string>();
  return (model, blocks) => {
    let hash = hashOf(model);
    let end = 0;
    const ends = blocks.map(({ text, settings = "", isBreakpoint }) => {
      hash = hashOf(hash + settings + text);
      end += tokensIn(text);
      return { hash, end, isBreakpoint };
    });
    const points = ends.flatMap(({ isBreakpoint, end }, at) => (isBreakpoint && end >= MINIMUM ? [at] : []));
    const written = points.length === 0 ? 0 : ends[points.at(-1)!]!.end;
    let read = 0;
    for (const point of points) {
      const searched = ends.slice(Math.max(0, point - SEARCHED_BLOCKS), point + 1);
      const found = searched.findLast(({ hash }) => cached.has(hash));
      read = Math.max(read, found?.end ?? 0);
    }
    for (const point of points) cached.add(ends[point]!.hash);
    return { input: end - written, cacheRead: read, cacheWrite: written - read };
  };
}

/** OpenAI and Google cache automatically. A request reads the longest prefix that it shares with an earlier one, in steps of 128 tokens. */
export function prefixCache(minimum = MINIMUM): (model: string, prefix: readonly PrefixPart[]) => Counted {
  const seen: string[] = [];
  return (model, prefix) => {
    const whole = [model, ...prefix.map(({ text }) => text)].join("\u0000");
    const shared = seen.reduce((longest, earlier) => Math.max(longest, sharedLength(earlier, whole)), 0);
    seen.push(whole);
    const hit = Math.floor(shared / 4);
    const cacheRead = hit < minimum ? 0 : Math.floor(hit / 128) * 128;
    return { input: tokensIn(whole) - cacheRead, cacheRead, cacheWrite: 0 };
  };
}

function sharedLength(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}
