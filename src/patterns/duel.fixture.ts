// The decisions of the pattern `duel` in `new-pattern.test.ts`: start the speakers, wait, and end with the longest answer.

import type { Definition } from "../journal/definition.ts";
import type { Action, PatternRun } from "./action.ts";
import { adoptedEnding } from "./child-endings.ts";
import type { DecisionView, Pattern } from "./pattern.ts";
import { slotOf, waitOrGiveUp } from "./slot.ts";

/** A real pattern needs no cast, because the compiler knows its key and trigger from the list of declarations. */
const speakersOf = (definition: Definition): string[] =>
  (definition as Definition & { duel: { speakers: string[] } }).duel.speakers;

export const duel: Pattern = {
  next({ state, definition }, now): Action | undefined {
    const slots = speakersOf(definition).map((agent) => ({ agent, slot: slotOf(state, `speaker/${agent}`) }));
    const empty = slots.filter(({ slot }) => slot.type === "empty");
    if (empty.length > 0)
      return { type: "start-runs", runs: empty.map(({ agent }) => speaker(state, agent)) };
    const live = slots.flatMap(({ slot }) => (slot.type === "live" ? [slot.child] : []));
    const answers = slots.flatMap(({ slot }) => (slot.type === "done" ? [slot.child] : []));
    const [winner] = answers.toSorted((a, b) => b.ended!.summary.length - a.ended!.summary.length);
    return (
      waitOrGiveUp(state, live, { timeout: undefined, now, late: "" }) ?? {
        type: "end",
        ending: winner
          ? adoptedEnding(winner, "final_answer")
          : { status: "failed", stopReason: "error", summary: "No speaker answered." },
      }
    );
  },
};

function speaker({ start }: DecisionView["state"], agent: string): PatternRun {
  const trigger = "duel" as PatternRun["trigger"];
  return { key: `speaker/${agent}`, trigger, agent, task: start!.task };
}
