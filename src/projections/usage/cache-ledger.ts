// Shows how much of each prompt the provider read from its cache, and why some calls could not use the cache.

import { z } from "zod";
import type { EventOf, JournalEvent } from "../../journal/events.ts";

/**
 * Why a call could not use the cache of the call before it.
 * `tools`, `system`, `messages`: this part of the prompt changed.
 * `compacted`: a summary replaced older messages, or long results were cleared or shortened.
 * `files`: older files were left out. `model`: another model was called.
 */
export const CacheBreak = z.enum(["tools", "system", "messages", "compacted", "files", "model"]);
export type CacheBreak = z.infer<typeof CacheBreak>;

export const CachedCall = z.object({
  runId: z.string(),
  agent: z.string(),
  /** The event with the model's answer. */
  seq: z.number(),
  model: z.string(),
  /** Input tokens that were read from the cache, written to the cache, or neither. */
  read: z.number(),
  written: z.number(),
  uncached: z.number(),
  broke: CacheBreak.exactOptional(),
  /** The run whose prompt was compared: the run itself, or an earlier run of the same agent. */
  comparedWith: z.string().exactOptional(),
});
export type CachedCall = z.infer<typeof CachedCall>;

export const CacheLedger = z.object({
  read: z.number(),
  written: z.number(),
  uncached: z.number(),
  calls: z.array(CachedCall),
});
export type CacheLedger = z.infer<typeof CacheLedger>;

/** The ledger of a tree, or of a part of it. Calls are in the order in which they were answered. */
export function cacheLedger(journals: Iterable<readonly JournalEvent[]>): CacheLedger {
  const ledger: CacheLedger = { read: 0, written: 0, uncached: 0, calls: [] };
  const events = [...journals].flat().sort((a, b) => a.position - b.position);
  const runs = new Map<string, RunPrompts>();
  /** The first answer of each agent with each model. Later runs can reuse its cached tools and system prompt. */
  const shared = new Map<string, EventOf<"AGENT_THOUGHT">>();
  for (const event of events) {
    const run = runs.get(event.runId) ?? { agent: "", model: "", last: undefined, isCompacted: false };
    runs.set(event.runId, run);
    if (event.type === "RUN_STARTED") run.agent = event.payload.agent;
    if (event.type === "CONTEXT_COMPACTED" || event.type === "CONTEXT_CLIPPED") run.isCompacted = true;
    if (event.type === "MODEL_CALL_STARTED") run.model = event.payload.model;
    if (event.type !== "AGENT_THOUGHT") continue;
    const call = cachedCall(event, run, shared);
    ledger.read += call.read;
    ledger.written += call.written;
    ledger.uncached += call.uncached;
    ledger.calls.push(call);
    run.last = { event, model: run.model };
    run.isCompacted = false;
  }
  return ledger;
}

interface RunPrompts {
  agent: string;
  /** The model of the call that was started last. */
  model: string;
  last: { event: EventOf<"AGENT_THOUGHT">; model: string } | undefined;
  isCompacted: boolean;
}

function cachedCall(
  event: EventOf<"AGENT_THOUGHT">,
  run: RunPrompts,
  shared: Map<string, EventOf<"AGENT_THOUGHT">>,
): CachedCall {
  const { input, cacheRead = 0, cacheWrite = 0 } = event.payload.usage;
  const uncached = Math.max(0, input - cacheRead - cacheWrite);
  const { agent, model, last } = run;
  const call = { runId: event.runId, agent, seq: event.seq, model };
  const counted = { ...call, read: cacheRead, written: cacheWrite, uncached };
  if (last) {
    const broke = breakInRun(event, run);
    return broke === undefined ? counted : { ...counted, broke, comparedWith: event.runId };
  }
  const key = JSON.stringify([agent, model]);
  const sibling = shared.get(key);
  if (!sibling) {
    if (event.payload.prefix) shared.set(key, event);
    return counted;
  }
  const broke = breakBetween(sibling, event);
  return broke === undefined ? counted : { ...counted, broke, comparedWith: sibling.runId };
}

function breakInRun({ payload }: EventOf<"AGENT_THOUGHT">, run: RunPrompts): CacheBreak | undefined {
  if (run.last?.model !== run.model) return "model";
  const broke = payload.prefix?.broke;
  return broke === "messages" && run.isCompacted ? "compacted" : broke;
}

/** Runs of one agent share the tools and the system prompt, but no messages. */
function breakBetween(
  { payload: { prefix: first } }: EventOf<"AGENT_THOUGHT">,
  { payload: { prefix } }: EventOf<"AGENT_THOUGHT">,
): CacheBreak | undefined {
  if (!first || !prefix) return undefined;
  if (first.tools !== prefix.tools) return "tools";
  return first.system === prefix.system ? undefined : "system";
}

const REASONS: Record<CacheBreak, string> = {
  tools: "the tool list changed",
  system: "the system prompt changed",
  messages: "an earlier message changed",
  compacted: "a long conversation was shortened",
  files: "older files were left out to make room for later ones",
  model: "another model was called",
};

/** One sentence for people: `Event 41 broke the prefix: the tool list changed.` Undefined if the call used the cache. */
export function describeBreak({ runId, agent, seq, broke, comparedWith }: CachedCall): string | undefined {
  if (broke === undefined) return undefined;
  if (comparedWith === runId)
    return `Event ${seq} of ${agent} (${runId}) broke the prefix: ${REASONS[broke]}.`;
  const part = broke === "tools" ? "tool lists" : "system prompts";
  return `Event ${seq} of ${agent} (${runId}) could not share the prefix of run ${comparedWith}: their ${part} differ.`;
}
