// Decisions of the best-of pattern.
// The agent writes several drafts at the same time, each with its own strategy and with tools that change nothing.
// A judge picks one draft and gives the reason. The run itself makes no model call: its answer is the picked draft.

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
  slot: PatternSlot;
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
      return { number, slot: slotOf(state, draftKey(number)) };
    });
    const absent = drafts.filter(({ slot }) => slot.type === "empty");
    if (absent.length > 0)
      return { type: "start-runs", runs: absent.map(({ number }) => draftRun(view, number)) };
    const live = drafts.flatMap(({ slot }) => (slot.type === "live" ? [slot.child] : []));
    const done = drafts.flatMap(({ number, slot }) =>
      slot.type === "done" ? [{ number, child: slot.child }] : [],
    );
    return (
      waitOrGiveUp(state, live, { timeout: undefined, now, late: "" }) ?? judgeDrafts(view, drafts, done, now)
    );
  },
};

const draftKey = (number: number): string => `draft/${number}`;

function draftRun({ state, definition }: DecisionView, number: number): PatternRun {
  const { task, input } = state.start!;
  const strategy = definition.bestOf!.strategies[number - 1];
  const request = openingWithRequest(state.start!, state.opening);
  return {
    key: draftKey(number),
    trigger: "best_of",
    agent: draftingAgent(definition),
    task,
    input,
    reason: strategy,
    before:
      strategy === undefined ? state.opening && request : `${request}\n\n## YOUR STRATEGY\n\n${strategy}`,
    messages: state.team.heard,
  };
}

/** The agent's definition without patterns and delegates, so that the agent only drafts. */
function draftingAgent(definition: Definition): Definition {
  const { delegates: _, finalizes: __, ...own } = withoutPatterns(definition);
  return { ...own, agents: [], readOnly: true };
}

function judgeDrafts(
  view: DecisionView,
  drafts: readonly Draft[],
  done: readonly DoneDraft[],
  now: number,
): Action {
  const { state } = view;
  const [first, second] = done;
  if (!first) return { type: "end", ending: noDraftEnding(drafts) };
  const { n } = view.definition.bestOf!;
  if (!second) return { type: "end", ending: pickedEnding(first, n, "it is the only one that succeeded.") };
  const slot = slotOf(state, JUDGE);
  switch (slot.type) {
    case "empty":
      return { type: "start-runs", runs: [judgeRun(view, done)] };
    case "refused":
      return { type: "end", ending: unusableStageEnding(judgeName(view), slot.why) };
    case "live":
      return waitOrGiveUp(state, [slot.child], { timeout: undefined, now, late: "" })!;
    default:
      return { type: "end", ending: verdictEnding(slot.child, done, n) };
  }
}

const judgeName = ({ definition }: DecisionView): string => definition.bestOf!.judge ?? definition.name;

/** The run that compares the drafts. It is a run of the named judge, or another run of the agent itself. */
function judgeRun(view: DecisionView, done: readonly DoneDraft[]): PatternRun {
  const { state, definition } = view;
  const { task, input } = state.start!;
  const numbers = done.map(({ number }) => number);
  const request = openingWithRequest(state.start!, state.opening);
  return {
    key: JUDGE,
    trigger: "best_of",
    agent: definition.bestOf!.judge ?? draftingAgent(definition),
    task,
    input: omitUndefined({ input, drafts: done.map(draftData) }),
    reason: `to pick one of ${done.length} drafts`,
    before: `${request}\n\n## YOUR PART\n\n${JUDGE_TASK}`,
    sections: done.map(({ number, child }) => ({
      heading: `DRAFT ${number}`,
      source: `draft ${number} ${child.runId}`,
      text: answerText(child.ended!.result),
    })),
    messages: state.team.heard,
    output: choiceSchema(numbers),
  };
}

/** A draft as data, because a judge can be a module, which reads data more easily than prose. */
function draftData({ number, child }: DoneDraft): object {
  const { summary, details, output } = child.ended!.result;
  return { number, summary, details, output };
}

const JUDGE_TASK =
  "The drafts below answer this request. Compare them and pick the best as it is: do not write another one. " +
  "Report the number of your choice and the reason that decided it.";

const choiceSchema = (numbers: readonly number[]): object => ({
  type: "object",
  required: ["draft", "reason"],
  additionalProperties: false,
  properties: { draft: { type: "integer", enum: numbers }, reason: { type: "string" } },
});

function verdictEnding(child: ChildRun, done: readonly DoneDraft[], n: number): Ending {
  if (!child.ended!.success) return failedStageEnding(child, "error");
  // The answer can have any form if the judge has passed its work to another agent.
  const { draft: number, reason } = (child.ended!.result.output ?? {}) as { draft?: number; reason?: string };
  const chosen = done.find((one) => one.number === number);
  if (!chosen) return unusableStageEnding(child.agent, "what it answered picks none of the drafts.");
  return pickedEnding(chosen, n, reason ?? "");
}

function pickedEnding({ number, child }: DoneDraft, n: number, reason: string): Ending {
  const ending = adoptedEnding(child, "final_answer");
  const why = `Draft ${number} of ${n} was picked: ${reason}`;
  return { ...ending, details: [ending.details, why].filter(Boolean).join("\n\n") };
}

function noDraftEnding(drafts: readonly Draft[]): Ending {
  const why = drafts.map(({ number, slot }) => `Draft ${number}: ${failureReason(slot)}`).join(" ");
  const causes = drafts.flatMap(({ slot }) =>
    "child" in slot ? (slot.child.ended?.result.first_cause ?? []) : [],
  );
  const summary = `None of ${drafts.length} drafts succeeded. ${why}`;
  return { status: "failed", stopReason: "error", summary, cause: causes[0] };
}

function failureReason(slot: PatternSlot): string {
  if (slot.type === "refused") return slot.why;
  return "child" in slot ? (slot.child.ended?.summary ?? "") : "";
}
