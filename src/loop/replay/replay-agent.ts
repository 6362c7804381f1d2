// Replays past runs of an agent with its current file. Each replay stops at the first decision or model request that would differ.
// The replay uses the recorded answers until the first difference.
// A replay writes nothing, calls no model and runs no tool.
// The current code composes each request twice, with the pinned definition and with the current definition.
// Therefore changes of Cadre's own code do not show up as differences.
// If the person who started the run chose a model, a limit or an output schema, the replay keeps that choice.

import { structuredPatch } from "diff";
import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { Definition } from "../../journal/definition.ts";
import type { EventOf, JournalEvent, Payload } from "../../journal/events.ts";
import type { Action } from "../../patterns/action.ts";
import { triggerOf } from "../../patterns/declarations/facts.ts";
import { resolveLimits } from "../commands/admit.ts";
import type { RunView } from "../drive/decide-turn.ts";
import { loadDefinition } from "../drive/run-journal.ts";
import { type OfferParts, offeredTools } from "../model/call-model.ts";
import type { LoopParts } from "../parts.ts";
import { describeEvent } from "./match-events.ts";
import { changedDecision, emptyView, type ReplayParts, replayDecisions } from "./replay.ts";

type Start = Payload<"RUN_STARTED">;

export interface AgentReplayParts
  extends ReplayParts,
    Pick<LoopParts, "findAgent" | "pinInstructions" | "systemPrompt" | "mask" | "limits" | "approvalTimeout">,
    OfferParts {}

/** One difference. The lines that begin with `-` are old, and those that begin with `+` are new. */
export interface ReplayChange {
  what: "prompt" | "tools" | "model" | "temperature" | "maxOutputTokens" | "reasoning" | "decision";
  lines: string[];
}

export interface AgentReplay {
  runId: RunId;
  /** Number of decisions that the replay repeated. */
  decisions: number;
  /** The first event that would differ. Undefined if all events would be the same. */
  difference: { seq: number; changes: ReplayChange[] } | undefined;
  /** Why the run could not be replayed. */
  problem?: string;
}

/** Throws AGENT_NOT_FOUND or AGENT_INVALID. */
export async function replayAgent(
  agent: string,
  runIds: readonly RunId[],
  parts: AgentReplayParts,
): Promise<AgentReplay[]> {
  const now = storedForm(await parts.pinInstructions(await parts.findAgent(agent)), parts);
  const replays: AgentReplay[] = [];
  for (const runId of runIds) {
    try {
      const replayed = await replayRun(runId, now, parts);
      if (replayed) replays.push(replayed);
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      replays.push({ runId, decisions: 0, difference: undefined, problem: error.message });
    }
  }
  return replays;
}

/** The definition in the form in which a run reads it from the store. */
const storedForm = (definition: Definition, { mask }: Pick<LoopParts, "mask">): Definition =>
  Definition.parse(JSON.parse(JSON.stringify(mask.value(definition))));

/** Replays one run. Undefined for a draft, because the definition of a draft comes from its parent and not from a file. */
async function replayRun(
  runId: RunId,
  file: Definition,
  parts: AgentReplayParts,
): Promise<AgentReplay | undefined> {
  const [first, ...rest] = await parts.store.journal.read(runId);
  const { payload: start } = first as EventOf<"RUN_STARTED">;
  const pinned = await loadDefinition(parts.store, start.definition);
  if (pinned.readOnly) return undefined;
  const definition = withRequestedValues(file, pinned, start);
  const restarted = { ...start, limits: limitsNow(start, pinned, definition, parts) };
  const view = await emptyView(start, definition, parts);
  const journal = [{ ...first, payload: restarted } as JournalEvent, ...rest];
  const { decisions, found } = await replayDecisions(journal, view, parts, (event, action) => {
    const before = { ...view, definition: pinned, state: { ...view.state, start } };
    const changes = changesAt(event, action, { before, now: view }, parts);
    return changes.length === 0 ? undefined : { seq: event.seq, changes };
  });
  return { runId, decisions, difference: found };
}

function withRequestedValues(file: Definition, pinned: Definition, start: Start): Definition {
  const inherits = file.inheritsModel && start.parentRunId !== undefined;
  const { output } = pinned;
  return {
    ...file,
    ...(inherits || start.model !== undefined ? { models: pinned.models } : {}),
    // The output schema of a judge is kept, because it comes from the pattern and not from the agent's file.
    ...(triggerOf(start.trigger)?.setsOutput && output !== undefined ? { output } : {}),
  };
}

/** Limits that came from the agent's file or from a default are replaced by their current values. */
function limitsNow(
  { limits }: Start,
  pinned: Definition,
  file: Definition,
  parts: AgentReplayParts,
): Start["limits"] {
  const project = { ...parts.limits, approvalTimeout: parts.approvalTimeout };
  const [then, now] = [pinned, file].map((each) => resolveLimits(project, each.limits, {}));
  const keys = Object.keys({ ...then, ...now }).filter((key) => key !== "tree") as (keyof Start["limits"])[];
  const changed = keys.filter((key) => limits[key] === then![key] && then![key] !== now![key]);
  return { ...limits, ...Object.fromEntries(changed.map((key) => [key, now![key]])) };
}

interface Views {
  before: RunView;
  now: RunView;
}

function changesAt(
  event: JournalEvent,
  action: Action,
  views: Views,
  parts: AgentReplayParts,
): ReplayChange[] {
  if (event.type === "MODEL_CALL_STARTED" && isSameCall(event.payload, action))
    return requestChanges(event.payload, action, views, parts);
  const other = changedDecision(views.now, event, action, parts);
  return other === undefined ? [] : [{ what: "decision", lines: [`-${describeEvent(event)}`, `+${other}`] }];
}

type CallModel = Extract<Action, { type: "call-model" }>;

/** Whether the action is the recorded model call. The name of the model can differ. */
const isSameCall = (recorded: Payload<"MODEL_CALL_STARTED">, action: Action): action is CallModel =>
  action.type === "call-model" &&
  action.callId === recorded.callId &&
  action.attempt === (recorded.attempt ?? 1) &&
  action.purpose === (recorded.purpose ?? "turn");

function requestChanges(
  recorded: Payload<"MODEL_CALL_STARTED">,
  action: CallModel,
  { before, now }: Views,
  parts: AgentReplayParts,
): ReplayChange[] {
  const prompt = ({ definition, state }: RunView) =>
    parts.systemPrompt(definition, state.start!, now.state.createdAt);
  const changes: ReplayChange[] = [
    { what: "model", lines: valueLines(recorded.model, action.model) },
    { what: "prompt", lines: textLines(prompt(before), prompt(now)) },
    { what: "tools", lines: toolLines({ before, now }, parts) },
  ];
  for (const what of ["temperature", "maxOutputTokens", "reasoning"] as const)
    changes.push({ what, lines: valueLines(before.definition[what], now.definition[what]) });
  return changes.filter(({ lines }) => lines.length > 0);
}

function valueLines(before: string | number | undefined, now: string | number | undefined): string[] {
  if (before === now) return [];
  return [...(before === undefined ? [] : [`-${before}`]), ...(now === undefined ? [] : [`+${now}`])];
}

/** Time limit for a comparison. Comparing two long and very different texts would block the process. */
const DIFF_MS = 100;

function textLines(before: string, now: string): string[] {
  if (before === now) return [];
  const patch = structuredPatch("", "", before, now, undefined, undefined, { context: 0, timeout: DIFF_MS });
  if (!patch) return ["-(another text)", "+(too different to be shown)"];
  return patch.hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith("\\")));
}

/** Tools that were added or removed, or whose description changed. */
function toolLines(views: Views, parts: AgentReplayParts): string[] {
  const [before, now] = [views.before, views.now].map(
    (view) => new Map(offeredTools(view, parts).map((tool) => [tool.name, JSON.stringify(tool)])),
  );
  const names = [...new Set([...before!.keys(), ...now!.keys()])];
  return names.flatMap((name) => {
    if (!now!.has(name)) return [`-${name}`];
    if (!before!.has(name)) return [`+${name}`];
    return before!.get(name) === now!.get(name) ? [] : [`-${name}`, `+${name} (described otherwise)`];
  });
}
