// Repeats the decisions of a journal with the current code and rules.
// Answers from models, tools, people and clocks are used as recorded. The new decisions are compared with the journal.
// A replay writes nothing, calls no model and runs no tool.
// Calls are judged by the current rules. A recorded verdict is kept if a grant decided it.
// A recorded verdict is also kept if another agent's file made approval necessary and no rule denies the call now.

import type { RunId } from "../../ids.ts";
import type { Definition } from "../../journal/definition.ts";
import type { EventOf, JournalEvent, Payload } from "../../journal/events.ts";
import type { Action } from "../../patterns/action.ts";
import { applyRunState, emptyRunState } from "../../projections/folds/run-state.ts";
import { trackTaint } from "../../projections/folds/taint.ts";
import { applyTranscript, emptyTranscript } from "../../projections/folds/transcript.ts";
import { decide } from "../drive/decide.ts";
import type { RunView } from "../drive/decide-turn.ts";
import { decisionInput } from "../drive/drive.ts";
import { eventsBefore, loadDefinition } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { continuesAction, describeAction, describeEvent, isDecided, matchesEvent } from "./match-events.ts";
import { changedVerdict } from "./replay-verdict.ts";

export interface ReplayParts
  extends Pick<LoopParts, "store" | "models" | "judge" | "authority" | "loadSteps" | "offers" | "tools"> {
  decide?: typeof decide;
}

/** The first decision that would differ now. */
export interface Divergence {
  runId: RunId;
  agent: string;
  seq: number;
  position: number;
  recorded: string;
  now: string;
}

export interface ReplaySummary {
  runs: number;
  events: number;
  /** Number of decisions that the replay repeated. */
  decisions: number;
  divergence?: Divergence | undefined;
}

/** Replays these runs and finds their earliest difference, in commit order. */
export async function replayRuns(runIds: readonly RunId[], parts: ReplayParts): Promise<ReplaySummary> {
  const replays = [];
  for (const runId of runIds) replays.push(await replayRun(await parts.store.journal.read(runId), parts));
  const diverged = replays.flatMap(({ divergence }) => divergence ?? []);
  return {
    runs: replays.length,
    events: replays.reduce((sum, { events }) => sum + events, 0),
    decisions: replays.reduce((sum, { decisions }) => sum + decisions, 0),
    divergence: diverged.toSorted((left, right) => left.position - right.position)[0],
  };
}

async function replayRun(journal: readonly JournalEvent[], parts: ReplayParts) {
  const { payload } = journal[0] as EventOf<"RUN_STARTED">;
  const view = await emptyView(payload, await loadDefinition(parts.store, payload.definition), parts);
  const { decisions, found } = await replayDecisions(journal, view, parts, (event, action) => {
    const other = changedDecision(view, event, action, parts);
    return other === undefined ? undefined : divergenceAt(view, event, other);
  });
  return { events: journal.length, decisions, divergence: found };
}

/** Repeats the decisions of a journal, starting from an empty view, until `look` finds something. */
export async function replayDecisions<T>(
  journal: readonly JournalEvent[],
  view: RunView,
  parts: ReplayParts,
  look: (event: JournalEvent, action: Action) => T | undefined,
): Promise<{ decisions: number; found: T | undefined }> {
  let decisions = 0;
  let action: Action | undefined;
  for (const event of journal) {
    if (isDecided(event, view)) {
      decisions++;
      if (!action || !continuesAction(action, event)) action = await decideNow(view, event, parts);
      const found = look(event, action);
      if (found !== undefined) return { decisions, found };
    }
    applyRunState(view.state, event);
    applyTranscript(view.transcript, event);
  }
  return { decisions, found: undefined };
}

/** The current decision, if it differs from the recorded one. */
export const changedDecision = (
  view: RunView,
  event: JournalEvent,
  action: Action,
  parts: Pick<ReplayParts, "judge" | "authority">,
): string | undefined =>
  matchesEvent(action, event) ? changedVerdict(view, event, parts) : describeAction(action);

/** The view of a run before its first event. If the run continues other runs, the view contains their transcripts. */
export async function emptyView(
  start: Payload<"RUN_STARTED">,
  definition: Definition,
  { store }: Pick<ReplayParts, "store">,
): Promise<RunView> {
  const view = { state: emptyRunState(), transcript: emptyTranscript(), definition };
  for (const event of await eventsBefore(store, start)) {
    applyTranscript(view.transcript, event);
    trackTaint(view.state.taint, event);
  }
  return view;
}

async function decideNow(view: RunView, { ts }: JournalEvent, parts: ReplayParts): Promise<Action> {
  const input = await decisionInput(view, { ...parts, clock: { now: () => ts } });
  return (parts.decide ?? decide)(...input);
}

const divergenceAt = ({ state, definition }: RunView, event: JournalEvent, now: string): Divergence => ({
  runId: event.runId,
  agent: state.start?.agent ?? definition.name,
  seq: event.seq,
  position: event.position,
  recorded: describeEvent(event),
  now,
});
