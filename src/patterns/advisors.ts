// Decisions of the advisors pattern. Before the agent's first turn, all advisors are asked at the same time, with the agent's own input.
// The advisors' answers become part of the task.
// If an advisor fails or is late (F27), the task says so. `require` decides whether enough advisors have answered.

import { baseName } from "../journal/agent-id.ts";
import type { EventBody } from "../journal/events.ts";
import { markUntrusted } from "../journal/untrusted.ts";
import type { ChildRun } from "../projections/folds/child-runs.ts";
import type { Action, Ending, PatternRun } from "./action.ts";
import { answerText, openingWithRequest, requestText } from "./opening.ts";
import type { DecisionView, Pattern } from "./pattern.ts";
import { type PatternSlot, slotOf, waitOrGiveUp } from "./slot.ts";

export const advisors: Pattern = {
  next(view, now): Action | undefined {
    const { state, definition } = view;
    if (state.hasAdvice) return undefined;
    const { agents } = definition.advisors!;
    const asked = agents.map((agent) => ({ agent, slot: slotOf(state, slotKey(agent)) }));
    const absent = asked.filter(({ slot }) => slot.type === "empty");
    if (absent.length > 0)
      return { type: "start-runs", runs: absent.map(({ agent }) => advisorRun(view, agent)) };
    const open = asked.flatMap(({ slot }) => (slot.type === "live" ? [slot.child] : []));
    const required = requiredAnswers(view);
    const failed = asked.filter(({ slot }) => hasFailed(slot, state.isClosing));
    if (asked.length - failed.length < required)
      return { type: "end", ending: tooFewAnswers(asked.length, failed, required) };
    const late = "It took too long to advise.";
    const wait = waitOrGiveUp(state, open, { timeout: definition.advisors!.timeout, now, late });
    return wait ?? { type: "record", events: [adviceEvent(view, asked)] };
  },
};

interface AskedAdvisor {
  agent: string;
  slot: PatternSlot;
}

const slotKey = (agent: string): string => `advisor/${agent}`;

/** S3-30: an advisor receives the same input as the agent. */
function advisorRun({ state }: DecisionView, agent: string): PatternRun {
  const { task, input } = state.start!;
  const before = state.opening && openingWithRequest(state.start!, state.opening);
  return { key: slotKey(agent), trigger: "advisor", agent, task, input, before, messages: state.team.heard };
}

/** S3-55: how many advisors must answer. */
function requiredAnswers({ definition }: DecisionView): number {
  const { require, agents } = definition.advisors!;
  if (require === "all") return agents.length;
  return require === "any" ? 1 : Math.min(require, agents.length);
}

/** Whether an advisor has failed. If the run is already ending, a cancelled advisor is not a failure. */
function hasFailed(slot: PatternSlot, closing: boolean): boolean {
  if (slot.type === "late" || slot.type === "refused") return true;
  return slot.type === "failed" && !(closing && slot.child.ended!.result.status === "cancelled");
}

function tooFewAnswers(advisors: number, failed: readonly AskedAdvisor[], required: number): Ending {
  const why = failed.map(({ agent, slot }) => `${baseName(agent)}: ${failureReason(slot)}`).join(" ");
  const answers = advisors - failed.length;
  const summary = `Of ${advisors} advisors at most ${answers} can answer, and ${required} must. ${why}`;
  const cause = failed.flatMap(
    ({ slot }) => ("child" in slot ? slot.child.ended?.result.first_cause : undefined) ?? [],
  );
  return { status: "failed", stopReason: "error", summary, cause: cause[0] };
}

/** S3-31: the request, then one section for each advisor. */
function adviceEvent({ state }: DecisionView, asked: readonly AskedAdvisor[]): EventBody {
  const sections = asked.map(({ agent, slot }) => `### From ${baseName(agent)}\n\n${adviceText(slot)}`);
  const request = state.opening ?? requestText(state.start!);
  const text = [request, "## ANALYSIS GATHERED", ...sections].join("\n\n");
  return { type: "CONTEXT_ADDED", payload: { id: "advice", source: "advice", text, opening: true } };
}

/** The text about one advisor. The model of a failed run might have written its summary, so the summary is marked as untrusted too. */
function adviceText(slot: PatternSlot): string {
  switch (slot.type) {
    case "done":
      return markAnswer(slot.child, answerText(slot.child.ended!.result));
    case "failed":
      return `(No advice. It ${howFailed(slot.child)}:)\n\n${markAnswer(slot.child, slot.child.ended!.summary)}`;
    default:
      return `(No advice. ${failureReason(slot)})`;
  }
}

const markAnswer = ({ agent, runId, nonce }: ChildRun, text: string): string =>
  nonce === "" ? text : markUntrusted(nonce, `${agent} ${runId}`, text);

const howFailed = ({ ended }: ChildRun): string =>
  ended!.result.status === "cancelled" ? "was cancelled" : "failed";

function failureReason(slot: PatternSlot): string {
  switch (slot.type) {
    case "late":
      return "It did not answer in time.";
    case "refused":
      return `It could not be started: ${slot.why}`;
    case "failed":
      return `It ${howFailed(slot.child)}: ${slot.child.ended!.summary}`;
    default:
      return "";
  }
}
