// Decisions of the advisors pattern. All advisors are asked at once, with the agent's own input, before its first turn.
// Their answers become part of the task. For an advisor that fails or is late (F27) the task says so, and `require`
// decides whether enough of them have answered.

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
    const asked = definition.advisors!.agents.map((agent) => ({
      agent,
      seat: slotOf(state, keyOf(agent)),
    }));
    const absent = asked.filter(({ seat }) => seat.type === "empty");
    if (absent.length > 0)
      return { type: "start-runs", runs: absent.map(({ agent }) => advisor(view, agent)) };
    const open = asked.flatMap(({ seat }) => (seat.type === "live" ? [seat.child] : []));
    const required = requiredOf(view);
    const failed = asked.filter(({ seat }) => hasFailed(seat, state.isClosing));
    if (asked.length - failed.length < required)
      return { type: "end", ending: tooFew(asked.length, failed, required) };
    return (
      waitOrGiveUp(state, open, {
        timeout: definition.advisors!.timeout,
        now,
        late: "It took too long to advise.",
      }) ?? {
        type: "record",
        events: [advice(view, asked)],
      }
    );
  },
};

interface Asked {
  agent: string;
  seat: PatternSlot;
}

const keyOf = (agent: string): string => `advisor/${agent}`;

/** S3-30: an advisor gets the same input as the agent. */
function advisor({ state }: DecisionView, agent: string): PatternRun {
  const { task, input } = state.start!;
  const before = state.opening && openingWithRequest(state.start!, state.opening);
  return { key: keyOf(agent), trigger: "advisor", agent, task, input, before, messages: state.team.heard };
}

/** S3-55: how many advisors must answer. */
function requiredOf({ definition }: DecisionView): number {
  const { require, agents } = definition.advisors!;
  if (require === "all") return agents.length;
  return require === "any" ? 1 : Math.min(require, agents.length);
}

/** An advisor that was cancelled because the run is ending does not count as failed: the reason for the end must not change. */
function hasFailed(seat: PatternSlot, closing: boolean): boolean {
  if (seat.type === "late" || seat.type === "refused") return true;
  return seat.type === "failed" && !(closing && seat.child.ended!.result.status === "cancelled");
}

function tooFew(advisors: number, failed: readonly Asked[], required: number): Ending {
  const why = failed.map(({ agent, seat }) => `${baseName(agent)}: ${whyNot(seat)}`).join(" ");
  const answers = advisors - failed.length;
  const summary = `Of ${advisors} advisors at most ${answers} can answer, and ${required} must. ${why}`;
  const cause = failed.flatMap(
    ({ seat }) => ("child" in seat ? seat.child.ended?.result.first_cause : undefined) ?? [],
  );
  return { status: "failed", stopReason: "error", summary, cause: cause[0] };
}

/** S3-31: the request, then one section for each advisor. */
function advice({ state }: DecisionView, asked: readonly Asked[]): EventBody {
  const sections = asked.map(({ agent, seat }) => `### From ${baseName(agent)}\n\n${saidAt(seat)}`);
  const request = state.opening ?? requestText(state.start!);
  const text = [request, "## ANALYSIS GATHERED", ...sections].join("\n\n");
  return { type: "CONTEXT_ADDED", payload: { id: "advice", source: "advice", text, opening: true } };
}

/** The summary of a failed run may be its model's own text, so it is marked as untrusted too. */
function saidAt(seat: PatternSlot): string {
  switch (seat.type) {
    case "done":
      return marked(seat.child, answerText(seat.child.ended!.result));
    case "failed":
      return `(No advice. It ${howFailed(seat.child)}:)\n\n${marked(seat.child, seat.child.ended!.summary)}`;
    default:
      return `(No advice. ${whyNot(seat)})`;
  }
}

const marked = ({ agent, runId, nonce }: ChildRun, text: string): string =>
  markUntrusted(nonce, `${agent} ${runId}`, text);

const howFailed = ({ ended }: ChildRun): string =>
  ended!.result.status === "cancelled" ? "was cancelled" : "failed";

function whyNot(seat: PatternSlot): string {
  switch (seat.type) {
    case "late":
      return "It did not answer in time.";
    case "refused":
      return `It could not be started: ${seat.why}`;
    case "failed":
      return `It ${howFailed(seat.child)}: ${seat.child.ended!.summary}`;
    default:
      return "";
  }
}
