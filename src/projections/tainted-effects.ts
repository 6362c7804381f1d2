// Actions taken after untrusted input, each with the untrusted sources that the run had read by then.

import type { EventOf, JournalEvent } from "../journal/events.ts";
import { emptyTaint, isTainted, trackTaint } from "./folds/taint.ts";
import type { Journals } from "./views/causes.ts";
import { agentOfRun } from "./views/reasons.ts";
import { describeCalls } from "./views/source-texts.ts";

export interface TaintedEffect {
  runId: string;
  seq: number;
  ts: number;
  agent: string;
  what: string;
  untrusted: string[];
}

const MOST = 100;

/** The tainted actions of a run and all runs below it, in start order. */
export function taintedEffects(journals: Journals, runId: string): TaintedEffect[] {
  return runsBelow(journals, runId)
    .flatMap((id) => effectsIn(journals, id))
    .toSorted((one, other) => one.ts - other.ts)
    .slice(0, MOST);
}

function effectsIn(journals: Journals, runId: string): TaintedEffect[] {
  const taint = emptyTaint();
  const names = describeCalls(journals.get(runId) ?? []);
  const unsafe = new Set<string>();
  return (journals.get(runId) ?? []).flatMap((event) => {
    trackTaint(taint, event);
    if (event.type === "TOOL_PROPOSED" && event.payload.effect !== "read")
      unsafe.add(event.payload.toolCallId);
    if (!isTainted(taint) || !isFirstStart(event) || !unsafe.has(event.payload.toolCallId)) return [];
    const { seq, ts, payload } = event;
    const what = names.get(payload.toolCallId) ?? payload.toolCallId;
    return [{ runId, seq, ts, agent: agentOfRun(journals, runId), what, untrusted: [...taint.sources] }];
  });
}

const isFirstStart = (event: JournalEvent): event is EventOf<"TOOL_STARTED"> =>
  event.type === "TOOL_STARTED" && (event.payload.attempt ?? 1) === 1;

function runsBelow(journals: Journals, runId: string): string[] {
  const below = new Set([runId]);
  for (const id of below)
    for (const event of journals.get(id) ?? [])
      if (event.type === "CHILD_RUN_STARTED") below.add(event.payload.child_run_id);
  return [...below];
}
