// A long history is compacted by a model call of its own: the journal stays whole, only what the model sees gets
// shorter. The latest exchange is kept as it is, so that the agent goes on where it was.

import type { RunJournal } from "./drive/run-journal.ts";

const KEPT_MESSAGES = 4;

export const SUMMARY_REQUEST =
  "The conversation is getting too long. Summarise it for yourself, so that you can go on from the summary alone: the task, what was done, what was found (with exact names, paths and numbers), what is still open. Do not go on with the task now.";

export const BRIEF_REQUEST =
  "You are about to delegate. Sum up this conversation for the agent that takes the task over: what it is all about, what was done and found so far (with exact names, paths and numbers), what has been decided. Do not go on with the task now, and do not repeat the task itself.";

/** Everything up to here is replaced by the summary. A thought and its results have one seq: they stay together. */
export function summaryPoint(run: RunJournal): { runId: string; seq: number } {
  const { placed } = run.transcript;
  const last = placed[Math.max(0, placed.length - KEPT_MESSAGES - 1)];
  return { runId: run.runId, seq: last?.seq ?? run.state.seq };
}
