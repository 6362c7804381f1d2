// Describes why a run ended, and what a person can do now (U42), the same in the terminal and on the page.

import type { StopReason } from "../../journal/events.ts";

/** The reason in two or three words, for short lines. */
export const stopLabel = (reason: StopReason): string => reason.replaceAll("_", " ");

/** Reasons of runs that a limit cut off. Such a run may have reported, but its work may be incomplete (S2-25). */
const LIMITS: ReadonlySet<StopReason> = new Set(["max_turns", "max_duration", "budget", "history_limit"]);

export const isLimit = (reason: StopReason): boolean => LIMITS.has(reason);

export interface StopDescription {
  why: string;
  /** The advice on what to do now. Absent if a person has nothing to do. */
  next?: string;
}

/** `status` is how the run ended. If the work was passed on and failed there, that is the reason. */
export const describeStop = (reason: StopReason, status?: string): StopDescription =>
  (reason === "routed" || reason === "handed_off") && status === "failed" ? FAILED_ELSEWHERE : WORDS[reason];

const FAILED_ELSEWHERE: StopDescription = { why: "The agent that it passed the task to did not succeed." };

const GOES_ON = "A retry continues from its last good event and keeps finished work.";

const WORDS: Record<StopReason, StopDescription> = {
  final_answer: { why: "It gave its answer." },
  handed_off: { why: "It handed its work over to another agent." },
  routed: { why: "It passed the task on to a suitable agent." },
  max_turns: {
    why: "It used all its turns.",
    next: `Raise \`limits.maxTurns\` in the agent's file, or make the task smaller. ${GOES_ON}`,
  },
  max_duration: {
    why: "It used all its time.",
    next: `Raise \`limits.maxDuration\` in the agent's file, or make the task smaller. ${GOES_ON}`,
  },
  budget: {
    why: "Its budget was used up.",
    next: `Raise the budget in cadre.yaml or the agent's file. ${GOES_ON}`,
  },
  loop: {
    why: "It did the same thing over and over.",
    next: "Look at its last calls for what is missing, add it to the task, then retry.",
  },
  approval_expired: {
    why: "Nobody decided in time about what it wanted to do.",
    next: `Retry, and answer its question in the inbox. ${GOES_ON}`,
  },
  provider: {
    why: "The model's provider refused, or did not answer.",
    next: `Check the key and the provider's status; \`cadre doctor\` tries it. ${GOES_ON}`,
  },
  refused: {
    why: "The model refused to answer.",
    next: "Reword the task, or choose another model, in a fork of this run (`cadre fork`).",
  },
  invalid_output: {
    why: "Its answer did not match the required format.",
    next: `Simplify the required format, or use a stronger model. ${GOES_ON}`,
  },
  output_limit: {
    why: "Its answers reached the output limit of the model.",
    next: `Raise \`maxOutputTokens\` in the agent's file, or ask for smaller pieces. ${GOES_ON}`,
  },
  history_limit: {
    why: "Its journal reached its maximum length.",
    next: "Split the task: each child has a journal of its own.",
  },
  error: { why: "It ran into an error.", next: `Fix what the error names. ${GOES_ON}` },
  user: { why: "A person cancelled it.", next: GOES_ON },
  parent: { why: "It ended because a run above it did.", next: "Retry the run above it." },
  orphaned: { why: "The run that started it had already ended.", next: "Retry the run above it." },
  moved: { why: "It continues in another store." },
};
