// What a run waits for, and what a person can do about it: the same words wherever it is told. What stands in backticks is
// to be typed.

import { approvalId } from "../../ids.ts";
import type { WaitingOn } from "../../journal/events.ts";

export interface WaitDescription {
  words: string;
  /** Absent: it needs nobody. */
  next?: (runId: string, items: readonly string[]) => string[];
}

export function describeWait(waitingOn: WaitingOn): WaitDescription {
  const { kind, detail = "its agent cannot work as it is", frozen: [top] = [] } = waitingOn;
  if (isAgentUnusable(waitingOn))
    return { words: detail.replace(/\.? Nothing is lost:.*$/s, ""), next: resume };
  if (top === undefined) return WAITING[kind];
  return {
    words: "its branch is frozen",
    next: () => [`\`cadre thaw ${top}\` lets the branch go on.`],
  };
}

/** M5: of a module that has changed its hash is an item, for a person to accept; what is not trusted, or never could be run, has none. */
export const isAgentUnusable = ({ kind, items = [] }: WaitingOn): boolean =>
  kind === "definition_changed" && items.length === 0;

type Next = NonNullable<WaitDescription["next"]>;

const decide: Next = (runId, items) =>
  items.map((item) => {
    const id = approvalId(runId, item);
    return `\`cadre approve ${id}\` lets it happen, \`cadre reject ${id} --note "why"\` refuses it.`;
  });
/** The item's id is that of the attempt, under a name of its own. */
const outcomeOf = (runId: string, item: string): string =>
  `cadre outcome ${runId} ${item.replace(/^outcome\//, "")}`;
const resume: Next = (runId) => [`\`cadre resume ${runId}\` lets it go on.`];

const WAITING: Record<WaitingOn["kind"], WaitDescription> = {
  child: { words: "runs below it are at work" },
  handoff: { words: "the agent that took over is at work" },
  timer: { words: "its time has not come" },
  provider: { words: "the provider lets nothing through" },
  slot: { words: "as many agents are at work as may be" },
  approval: { words: "a call needs your word", next: decide },
  child_hitl: { words: "a run below it needs your word", next: decide },
  question: {
    words: "it has asked you something",
    next: (runId, items) =>
      items.map((item) => `\`cadre approve ${approvalId(runId, item)} --answer "…"\` answers it.`),
  },
  outcome_unknown: {
    words: "a process ended in the middle of a call, and nobody knows whether it happened",
    next: (runId, items) =>
      items.map(
        (item) =>
          `Look whether it happened (\`${outcomeOf(runId, item)}\` does), then say so: \`${outcomeOf(runId, item)} happened\`, \`run_again\` or \`fail\`.`,
      ),
  },
  budget: {
    words: "its budget is used up",
    next: (runId, items) =>
      items.map(
        (item) =>
          `\`cadre approve ${approvalId(runId, item)} --max-cost 5\` raises it (or \`--max-tokens\`), \`cadre reject ${approvalId(runId, item)}\` ends the run.`,
      ),
  },
  loop: { words: "it did the same thing over and over", next: decide },
  storage: { words: "the disk is full", next: () => ["Make room on the disk; it goes on then."] },
  definition_changed: { words: "its agent's module is another than it began with", next: resume },
  quarantine: { words: "it could not be driven, and was set aside", next: resume },
  paused: { words: "somebody paused it", next: resume },
};
