// Best of n: the agent drafts several times at once, each time with another strategy and with tools that change nothing;
// a judge picks one and says why. The run itself makes no model call: its answer is the draft that was picked.

import { baseName, type Definition } from "../journal/definition.ts";
import type { ChildRun } from "../projections/child-runs.ts";
import type { Action, Ending, PatternRun } from "./action.ts";
import { stageFailed, stageNotStarted, takenOver } from "./child-endings.ts";
import { answerText, requestText } from "./opening.ts";
import type { Pattern, View } from "./pattern.ts";
import { type Place, placeOf, waitOrGiveUp } from "./place.ts";

const JUDGE = "judge";

interface Draft {
  number: number;
  place: Place;
}

interface DoneDraft {
  number: number;
  child: ChildRun;
}

export const bestOf: Pattern = {
  key: "bestOf",

  next(view, now): Action | undefined {
    const { state, definition } = view;
    const drafts = Array.from({ length: definition.bestOf!.n }, (_, index): Draft => {
      const number = index + 1;
      return { number, place: placeOf(state, draftKey(number)) };
    });
    const absent = drafts.filter(({ place }) => place.type === "empty");
    if (absent.length > 0)
      return { type: "start-runs", runs: absent.map(({ number }) => draft(view, number)) };
    const live = drafts.flatMap(({ place }) => (place.type === "live" ? [place.child] : []));
    const done = drafts.flatMap(({ number, place }) =>
      place.type === "done" ? [{ number, child: place.child }] : [],
    );
    return (
      waitOrGiveUp(state, live, { timeout: undefined, now, late: "" }) ?? judged(view, drafts, done, now)
    );
  },
};

const draftKey = (number: number): string => `draft/${number}`;

function draft({ state, definition }: View, number: number): PatternRun {
  const { task, input } = state.start!;
  const strategy = definition.bestOf!.strategies[number - 1];
  const request = state.opening ?? requestText(state.start!);
  return {
    key: draftKey(number),
    trigger: "best_of",
    agent: alone(definition),
    task,
    input,
    reason: strategy,
    before: strategy === undefined ? state.opening : `${request}\n\n## YOUR STRATEGY\n\n${strategy}`,
  };
}

/** The agent without its patterns and without anybody to send: it drafts, and nothing else. */
function alone(definition: Definition): Definition {
  const { bestOf: _, handoff: __, advisors: ___, delegates: ____, finalizes: _____, ...own } = definition;
  return { ...own, agents: [], readOnly: true };
}

function judged(view: View, drafts: readonly Draft[], done: readonly DoneDraft[], now: number): Action {
  const { state } = view;
  const [first, second] = done;
  if (!first) return { type: "end", ending: noDraft(drafts) };
  const { n } = view.definition.bestOf!;
  if (!second) return { type: "end", ending: picked(first, n, "it is the only one that succeeded.") };
  const place = placeOf(state, JUDGE);
  switch (place.type) {
    case "empty":
      return { type: "start-runs", runs: [judge(view, done)] };
    case "refused":
      return { type: "end", ending: stageNotStarted(judgeName(view), place.why) };
    case "live":
      return waitOrGiveUp(state, [place.child], { timeout: undefined, now, late: "" })!;
    default:
      return { type: "end", ending: verdict(place.child, done, n) };
  }
}

const judgeName = ({ definition }: View): string => definition.bestOf!.judge ?? definition.name;

/** Where nobody is named, the agent itself compares its drafts, in a run of its own. */
function judge(view: View, done: readonly DoneDraft[]): PatternRun {
  const { state, definition } = view;
  const { task, input } = state.start!;
  const numbers = done.map(({ number }) => number);
  const request = state.opening ?? requestText(state.start!);
  return {
    key: JUDGE,
    trigger: "best_of",
    agent: definition.bestOf!.judge ?? alone(definition),
    task,
    input,
    reason: `to pick one of ${done.length} drafts`,
    before: `${request}\n\n## YOUR PART\n\n${PICK}`,
    sections: done.map(({ number, child }) => ({
      heading: `DRAFT ${number}`,
      source: `draft ${number} ${child.runId}`,
      text: answerText(child.ended!.result),
    })),
    output: choiceOf(numbers),
  };
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
  if (!child.ended!.success) return stageFailed(child, "error");
  const { summary, result } = child.ended!;
  const { draft: number, reason } = (result.output ?? {}) as { draft?: unknown; reason?: string };
  const chosen = done.find((one) => one.number === number);
  // A judge that gave its work away answers by somebody who was not asked for this form.
  if (!chosen)
    return {
      status: "failed",
      stopReason: "invalid_output",
      summary: `${baseName(child.agent)}, which was to pick a draft, named none of them: ${summary}`,
    };
  return picked(chosen, n, reason ?? summary);
}

function picked({ number, child }: DoneDraft, n: number, reason: string): Ending {
  const ending = takenOver(child, "final_answer");
  const why = `Draft ${number} of ${n} was picked: ${reason}`;
  return { ...ending, details: [ending.details, why].filter(Boolean).join("\n\n") };
}

function noDraft(drafts: readonly Draft[]): Ending {
  const why = drafts.map(({ number, place }) => `Draft ${number}: ${whyNot(place)}`).join(" ");
  const causes = drafts.flatMap(({ place }) =>
    "child" in place ? (place.child.ended?.result.first_cause ?? []) : [],
  );
  return {
    status: "failed",
    stopReason: "error",
    summary: `None of ${drafts.length} drafts succeeded. ${why}`,
    cause: causes[0],
  };
}

function whyNot(place: Place): string {
  if (place.type === "refused") return place.why;
  return "child" in place ? (place.child.ended?.summary ?? "") : "";
}
