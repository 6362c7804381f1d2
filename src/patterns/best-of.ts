// Decisions of the best-of pattern. The agent writes several drafts at once, each with its own strategy and with tools
// that change nothing. A judge picks one and gives the reason. The run itself makes no model call: its answer is the draft
// that was picked.

import type { Definition } from "../journal/definition.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { ChildRun } from "../projections/folds/child-runs.ts";
import type { Action, Ending, PatternRun } from "./action.ts";
import { adoptedEnding, failedStageEnding, unusableStageEnding } from "./child-endings.ts";
import { withoutPatterns } from "./declarations/facts.ts";
import { answerText, openingWithRequest } from "./opening.ts";
import type { DecisionView, Pattern } from "./pattern.ts";
import { type PatternSlot, slotOf, waitOrGiveUp } from "./slot.ts";

const JUDGE = "judge";

interface Draft {
  number: number;
  seat: PatternSlot;
}

interface DoneDraft {
  number: number;
  child: ChildRun;
}

export const bestOf: Pattern = {
  next(view, now): Action | undefined {
    const { state, definition } = view;
    const drafts = Array.from({ length: definition.bestOf!.n }, (_, index): Draft => {
      const number = index + 1;
      return { number, seat: slotOf(state, draftKey(number)) };
    });
    const absent = drafts.filter(({ seat }) => seat.type === "empty");
    if (absent.length > 0)
      return { type: "start-runs", runs: absent.map(({ number }) => draft(view, number)) };
    const live = drafts.flatMap(({ seat }) => (seat.type === "live" ? [seat.child] : []));
    const done = drafts.flatMap(({ number, seat }) =>
      seat.type === "done" ? [{ number, child: seat.child }] : [],
    );
    return (
      waitOrGiveUp(state, live, { timeout: undefined, now, late: "" }) ?? judged(view, drafts, done, now)
    );
  },
};

const draftKey = (number: number): string => `draft/${number}`;

function draft({ state, definition }: DecisionView, number: number): PatternRun {
  const { task, input } = state.start!;
  const strategy = definition.bestOf!.strategies[number - 1];
  const request = openingWithRequest(state.start!, state.opening);
  return {
    key: draftKey(number),
    trigger: "best_of",
    agent: alone(definition),
    task,
    input,
    reason: strategy,
    before:
      strategy === undefined ? state.opening && request : `${request}\n\n## YOUR STRATEGY\n\n${strategy}`,
    messages: state.team.heard,
  };
}

/** The agent without patterns and delegates, so that it only drafts. */
function alone(definition: Definition): Definition {
  const { delegates: _, finalizes: __, ...own } = withoutPatterns(definition);
  return { ...own, agents: [], readOnly: true };
}

function judged(
  view: DecisionView,
  drafts: readonly Draft[],
  done: readonly DoneDraft[],
  now: number,
): Action {
  const { state } = view;
  const [first, second] = done;
  if (!first) return { type: "end", ending: noDraft(drafts) };
  const { n } = view.definition.bestOf!;
  if (!second) return { type: "end", ending: picked(first, n, "it is the only one that succeeded.") };
  const seat = slotOf(state, JUDGE);
  switch (seat.type) {
    case "empty":
      return { type: "start-runs", runs: [judge(view, done)] };
    case "refused":
      return { type: "end", ending: unusableStageEnding(judgeName(view), seat.why) };
    case "live":
      return waitOrGiveUp(state, [seat.child], { timeout: undefined, now, late: "" })!;
    default:
      return { type: "end", ending: verdict(seat.child, done, n) };
  }
}

const judgeName = ({ definition }: DecisionView): string => definition.bestOf!.judge ?? definition.name;

/** If no judge is named, another run of the agent itself compares the drafts. */
function judge(view: DecisionView, done: readonly DoneDraft[]): PatternRun {
  const { state, definition } = view;
  const { task, input } = state.start!;
  const numbers = done.map(({ number }) => number);
  const request = openingWithRequest(state.start!, state.opening);
  return {
    key: JUDGE,
    trigger: "best_of",
    agent: definition.bestOf!.judge ?? alone(definition),
    task,
    input: omitUndefined({ input, drafts: done.map(asData) }),
    reason: `to pick one of ${done.length} drafts`,
    before: `${request}\n\n## YOUR PART\n\n${PICK}`,
    sections: done.map(({ number, child }) => ({
      heading: `DRAFT ${number}`,
      source: `draft ${number} ${child.runId}`,
      text: answerText(child.ended!.result),
    })),
    messages: state.team.heard,
    output: choiceOf(numbers),
  };
}

/** The draft as data, for a judge with steps: code reads data, not prose. */
function asData({ number, child }: DoneDraft): object {
  const { summary, details, output } = child.ended!.result;
  return { number, summary, details, output };
}

const PICK =
  "The drafts below answer this request. Compare them and pick the best as it is: do not write another one. " +
  "Report the number of your choice and the reason that decided it.";

const choiceOf = (numbers: readonly number[]): object => ({
  type: "object",
  required: ["draft", "reason"],
  additionalProperties: false,
  properties: { draft: { type: "integer", enum: numbers }, reason: { type: "string" } },
});

function verdict(child: ChildRun, done: readonly DoneDraft[], n: number): Ending {
  if (!child.ended!.success) return failedStageEnding(child, "error");
  // A judge that returns the answer of another agent may return any output.
  const { draft: number, reason } = (child.ended!.result.output ?? {}) as { draft?: number; reason?: string };
  const chosen = done.find((one) => one.number === number);
  if (!chosen) return unusableStageEnding(child.agent, "what it answered picks none of the drafts.");
  return picked(chosen, n, reason ?? "");
}

function picked({ number, child }: DoneDraft, n: number, reason: string): Ending {
  const ending = adoptedEnding(child, "final_answer");
  const why = `Draft ${number} of ${n} was picked: ${reason}`;
  return { ...ending, details: [ending.details, why].filter(Boolean).join("\n\n") };
}

function noDraft(drafts: readonly Draft[]): Ending {
  const why = drafts.map(({ number, seat }) => `Draft ${number}: ${whyNot(seat)}`).join(" ");
  const causes = drafts.flatMap(({ seat }) =>
    "child" in seat ? (seat.child.ended?.result.first_cause ?? []) : [],
  );
  return {
    status: "failed",
    stopReason: "error",
    summary: `None of ${drafts.length} drafts succeeded. ${why}`,
    cause: causes[0],
  };
}

function whyNot(seat: PatternSlot): string {
  if (seat.type === "refused") return seat.why;
  return "child" in seat ? (seat.child.ended?.summary ?? "") : "";
}
