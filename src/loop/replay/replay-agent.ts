// Past runs of an agent, decided again with its file as it is now: up to the first decision that would be another one, or
// the first model call that would be asked otherwise. Until there, recorded answers stand.
//  1  Nothing is written, asked of a model or done.
//  2  What the model is asked with is composed twice by the code of now, for the agent as the run has pinned it and as it
//     would pin it: only what the agent's file has changed shows.
//  3  What whoever started the run has asked for (a model, a limit, a form of the answer) stands.

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
import { type OfferParts, offeredTools } from "../model/call-options.ts";
import type { LoopParts } from "../parts.ts";
import { describeEvent } from "./match-events.ts";
import { changedDecision, emptyView, type ReplayParts, replayDecisions } from "./replay.ts";

type Start = Payload<"RUN_STARTED">;

export interface AgentReplayParts
  extends ReplayParts,
    Pick<LoopParts, "findAgent" | "systemPrompt" | "mask" | "limits" | "approvalTimeout">,
    OfferParts {}

/** What would be another one: `-` lines as it was, `+` lines as it would be. */
export interface ReplayChange {
  what: "prompt" | "tools" | "model" | "temperature" | "maxOutputTokens" | "reasoning" | "decision";
  lines: string[];
}

export interface AgentReplay {
  runId: RunId;
  /** That were made again. */
  decisions: number;
  /** At the first event where something would be another one; undefined: nothing would. */
  difference: { seq: number; changes: ReplayChange[] } | undefined;
  /** Why it could not be replayed. */
  problem?: string;
}

/** Throws AGENT_NOT_FOUND or AGENT_INVALID. */
export async function replayAgent(
  agent: string,
  runIds: readonly RunId[],
  parts: AgentReplayParts,
): Promise<AgentReplay[]> {
  const now = asStored(await parts.findAgent(agent), parts);
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

/** As a run reads it back that has pinned it. */
const asStored = (definition: Definition, { mask }: Pick<LoopParts, "mask">): Definition =>
  Definition.parse(JSON.parse(JSON.stringify(mask.value(definition))));

/** Undefined: a draft, whose agent its parent has made of its own. */
async function replayRun(
  runId: RunId,
  file: Definition,
  parts: AgentReplayParts,
): Promise<AgentReplay | undefined> {
  const [first, ...rest] = await parts.store.journal.read(runId);
  const { payload: start } = first as EventOf<"RUN_STARTED">;
  const pinned = await loadDefinition(parts.store, start.definition);
  if (pinned.readOnly) return undefined;
  const definition = withAsked(file, pinned, start);
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

function withAsked(file: Definition, pinned: Definition, start: Start): Definition {
  const inherits = file.inheritsModel && start.parentRunId !== undefined;
  const { output } = pinned;
  return {
    ...file,
    ...(inherits || start.model !== undefined ? { models: pinned.models } : {}),
    // A judge answers in the form that the pattern wants.
    ...(triggerOf(start.trigger)?.setsOutput && output !== undefined ? { output } : {}),
  };
}

/** Those that were the agent's, or nobody's, are as its file has them now. */
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
    return otherwiseAsked(event.payload, action, views, parts);
  const other = changedDecision(views.now, event, action, parts);
  return other === undefined ? [] : [{ what: "decision", lines: [`-${describeEvent(event)}`, `+${other}`] }];
}

type CallModel = Extract<Action, { type: "call-model" }>;

/** Whatever model it is asked of. */
const isSameCall = (recorded: Payload<"MODEL_CALL_STARTED">, action: Action): action is CallModel =>
  action.type === "call-model" &&
  action.callId === recorded.callId &&
  action.attempt === (recorded.attempt ?? 1) &&
  action.purpose === (recorded.purpose ?? "turn");

function otherwiseAsked(
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
    { what: "tools", lines: toolLines(action, { before, now }, parts) },
  ];
  for (const what of ["temperature", "maxOutputTokens", "reasoning"] as const)
    changes.push({ what, lines: valueLines(before.definition[what], now.definition[what]) });
  return changes.filter(({ lines }) => lines.length > 0);
}

function valueLines(before: string | number | undefined, now: string | number | undefined): string[] {
  if (before === now) return [];
  return [...(before === undefined ? [] : [`-${before}`]), ...(now === undefined ? [] : [`+${now}`])];
}

/** Bounded: the difference of two long unlike texts would hold up everybody else. */
const DIFF_MS = 100;

function textLines(before: string, now: string): string[] {
  if (before === now) return [];
  const patch = structuredPatch("", "", before, now, undefined, undefined, { context: 0, timeout: DIFF_MS });
  if (!patch) return ["-(another text)", "+(too different to be shown)"];
  return patch.hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith("\\")));
}

/** Added, gone, or offered under the same name with other words. */
function toolLines(action: CallModel, views: Views, parts: AgentReplayParts): string[] {
  const [before, now] = [views.before, views.now].map(
    (view) => new Map(offeredTools(action, view, parts).map((tool) => [tool.name, JSON.stringify(tool)])),
  );
  const names = [...new Set([...before!.keys(), ...now!.keys()])];
  return names.flatMap((name) => {
    if (!now!.has(name)) return [`-${name}`];
    if (!before!.has(name)) return [`+${name}`];
    return before!.get(name) === now!.get(name) ? [] : [`-${name}`, `+${name} (described otherwise)`];
  });
}
