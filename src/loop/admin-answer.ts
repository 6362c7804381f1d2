// What an agent that looks after runs is told: the words of other runs are marked as somebody else's, and bring their taint.

import type { RunId } from "../ids.ts";
import type { EventBody } from "../journal/events.ts";
import { markUntrusted } from "../journal/untrusted.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import type { ToolCall } from "../projections/folds/run-state.ts";
import { emptyTaint, trackTaint } from "../projections/folds/taint.ts";
import { eventsBefore } from "./drive/continued-runs.ts";
import type { LoopParts } from "./parts.ts";

/** What is answered, and the runs whose words are in it. */
export interface AdminAnswer {
  output: unknown;
  words?: readonly RunRow[];
}

export async function adminResult(
  call: ToolCall,
  { output, words = [] }: AdminAnswer,
  parts: LoopParts,
): Promise<EventBody> {
  const { id, attempts } = call;
  const base = { toolCallId: id, ...(attempts > 1 ? { attempt: attempts } : {}) };
  if (words.length === 0) return { type: "TOOL_RESULT", payload: { ...base, output } };
  const sources = await Promise.all(words.map((row) => taintOf(row.id, parts)));
  const source = sources.find((found) => found !== undefined);
  const marked = markUntrusted(parts.ids.nonce(), "runs of this project", JSON.stringify(output, null, 1));
  const tainted = source === undefined ? {} : { untrusted: source };
  return { type: "TOOL_RESULT", payload: { ...base, output: marked, ...tainted } };
}

/** Whose words a run has that nobody here wrote, with those that it continues. */
async function taintOf(runId: RunId, { store }: LoopParts): Promise<string | undefined> {
  const events = await store.journal(runId);
  const [first] = events;
  const before = first?.type === "RUN_STARTED" ? await eventsBefore(store, first.payload) : [];
  const taint = emptyTaint();
  for (const event of [...before, ...events]) trackTaint(taint, event);
  return taint.sources[0];
}
