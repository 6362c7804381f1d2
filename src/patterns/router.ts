// Decisions of the router pattern.
// The router chooses an agent with the call `route_to`, which is judged and started like a delegation.
// The chosen agent's answer is the run's answer.
// A router can correct an invalid choice once. After that the fallback receives the work, or the run fails and names the router (F28).
// Routing never widens the permissions of an agent.

import { baseName } from "../journal/agent-id.ts";
import { childrenByTrigger } from "../projections/folds/child-runs.ts";
import { FINAL_REPORT } from "../projections/folds/run-state.ts";
import type { Action, Ending, PatternRun } from "./action.ts";
import { adoptedEnding, cancelledStageEnding, failedStageEnding } from "./child-endings.ts";
import { FALLBACK_SLOT } from "./declarations/router.ts";
import { systemNote } from "./events.ts";
import type { DecisionView, Pattern } from "./pattern.ts";

/** The call with which a router chooses the agent that does the work. */
export const ROUTE_TO = "route_to";

/** The router has one turn for its choice, and one for a correction. */
const CHOICES = 2;

export const router: Pattern = {
  next(view): Action | undefined {
    const { state, definition } = view;
    const [chosen] = childrenByTrigger(state.children, "route");
    if (chosen) {
      if (chosen.ended) return { type: "end", ending: childEnding(chosen) };
      const waitingOn = { kind: "child" as const, items: [chosen.runId] };
      return { type: "suspend", waitingOn, wakeAt: undefined };
    }
    if (!state.latest || state.failedCall || hasOpenCalls(view) || answersItself(view)) return undefined;
    const { fallback } = definition.router!;
    if (state.turns < CHOICES && state.latest.purpose !== "final") return correctChoice(view);
    const refused = state.unstartedSlots.get(FALLBACK_SLOT);
    if (fallback === undefined || refused !== undefined)
      return { type: "end", ending: noChoiceEnding(view, refused) };
    return { type: "start-runs", runs: [fallbackRun(view, fallback)] };
  },
};

function childEnding(chosen: ReturnType<typeof childrenByTrigger>[number]): Ending {
  const { status } = chosen.ended!.result;
  if (status === "completed") return adoptedEnding(chosen, "routed");
  return status === "cancelled" ? cancelledStageEnding(chosen) : failedStageEnding(chosen, "routed");
}

const hasOpenCalls = ({ state }: DecisionView): boolean =>
  [...state.calls.values()].some(({ result }) => !result);

function answersItself({ state, definition }: DecisionView): boolean {
  if (!definition.router!.allowAnswer) return false;
  const names = [...state.calls.values()].map(({ name }) => name);
  return names.length === 0 ? state.latest!.text.trim() !== "" : names.includes(FINAL_REPORT);
}

/** Sends a correction if the router wrote text and made no call. If it made a wrong call, the call's result corrects it. */
function correctChoice({ state, definition }: DecisionView): Action | undefined {
  const id = "choose";
  if (state.calls.size > 0 || state.systemNotes.has(id)) return undefined;
  const names = definition.router!.destinations.map(baseName).join(", ");
  const text = `You only choose who does the work: call \`${ROUTE_TO}\` with one of ${names}.`;
  return { type: "record", events: [systemNote(id, text)] };
}

function noChoiceEnding({ state, definition }: DecisionView, refused: string | undefined): Ending {
  const tried = [...state.calls.values()]
    .filter(({ name }) => name === ROUTE_TO)
    .map(({ input }) => JSON.stringify((input as { agent?: unknown } | null)?.agent ?? "nobody"));
  const chose = tried.length === 0 ? "chose nobody" : `chose ${tried.join(", ")}, which it may not`;
  const end =
    refused === undefined
      ? "it has no fallback"
      : `its fallback ${baseName(definition.router!.fallback!)} could not be started: ${refused.replace(/\.$/, "")}`;
  const summary = `The router ${baseName(definition.name)} ${chose}, and ${end}.`;
  return { status: "failed", stopReason: "error", summary };
}

function fallbackRun({ state }: DecisionView, agent: string): PatternRun {
  const { task, input, team } = state.start!;
  const reason = "fallback: the router chose nobody that it may";
  const before = state.opening;
  return {
    key: FALLBACK_SLOT,
    trigger: "route",
    agent,
    task,
    input,
    reason,
    before,
    messages: state.team.heard,
    team,
    continues: team && true,
  };
}
