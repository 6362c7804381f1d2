// Decisions of the handoff pattern. When the agent has succeeded, its target starts and gives the final answer.
// The agent makes no further model call and ends with its target's answer.
// One event starts the target, so after a crash exactly one agent is responsible for the answer (F26).

import { baseName } from "../journal/agent-id.ts";
import type { Payload } from "../journal/events.ts";
import { latestChildFor, mayBeRetried } from "../projections/folds/child-runs.ts";
import { CLOSING } from "../projections/folds/run-state.ts";
import type { Action, Ending, PatternRun } from "./action.ts";
import {
  adoptedEnding,
  cancelledStageEnding,
  failedStageEnding,
  unusableStageEnding,
} from "./child-endings.ts";
import { answerText } from "./opening.ts";
import type { DecisionView, Pattern } from "./pattern.ts";

const KEY = "handoff";

export const handoff: Pattern = {
  next({ state, definition }): Action | undefined {
    const child = latestChildFor(state.children, KEY);
    if (!child) return undefined;
    if (!child.ended) {
      const waitingOn = { kind: "handoff" as const, items: [child.runId], ...CLOSING };
      return { type: "suspend", waitingOn, wakeAt: undefined };
    }
    const { status } = child.ended.result;
    if (status === "completed") return { type: "end", ending: adoptedEnding(child, "handed_off") };
    if (status === "cancelled") return { type: "end", ending: cancelledStageEnding(child) };
    if (mayBeRetried(child) || definition.handoff!.onFailure === "return") return undefined;
    return { type: "end", ending: failedStageEnding(child, "handed_off") };
  },

  onFinish({ state, definition }, ending): Action | undefined {
    const child = latestChildFor(state.children, KEY);
    const { agent, onFailure } = definition.handoff!;
    const refused = state.unstartedSlots.get(KEY);
    if (refused === undefined && (!child || mayBeRetried(child)))
      return { type: "start-runs", runs: [targetRun({ state, definition }, ending)] };
    const failure = child ? failedStageEnding(child, "handed_off") : unusableStageEnding(agent, refused!);
    if (onFailure !== "return") return { type: "end", ending: failure };
    const warnings = [
      ...(ending.warnings ?? []),
      `${endSentence(failure.summary)} This is the answer before it.`,
    ];
    return { type: "end", ending: { ...ending, stopReason: "handed_off", warnings } };
  },
};

/** The person's input, which is passed along the whole chain. Undefined if it equals `input`. */
function personsInput({ input, requestInput }: Payload<"RUN_STARTED">, { output }: Ending): unknown {
  if (requestInput !== undefined) return requestInput;
  return output === undefined ? undefined : (input ?? null);
}

const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function targetRun({ state, definition }: DecisionView, ending: Ending): PatternRun {
  const { agent, onFailure, pass } = definition.handoff!;
  const { task, input } = state.start!;
  const from = baseName(definition.name);
  const text = answerText(ending);
  const retries = onFailure === "retry" && !latestChildFor(state.children, KEY) ? 1 : undefined;
  const reason = `handoff from ${from}`;
  // Inside a team, the target takes the member's place, so it always reads the discussion.
  if (pass === "result" && !state.start!.team)
    return { key: KEY, trigger: "handoff", agent, task: text, input: ending.output, reason, retries };
  return {
    key: KEY,
    trigger: "handoff",
    agent,
    task,
    input: ending.output ?? input,
    requestInput: personsInput(state.start!, ending),
    reason,
    before: state.start!.team && state.opening,
    sections: [{ heading: `RESULT FROM ${from}`, source: `${from} ${state.runId}`, text }],
    messages: state.team.heard,
    team: state.start!.team,
    continues: state.start!.team && true,
    retries,
  };
}
