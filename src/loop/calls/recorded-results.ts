// A fork does not repeat the effects of the run that it was forked from: each recorded result is used once in place of the call.
// A rule that denies comes first, and so does a grant that was given in the fork.

import type { EventBody, Payload } from "../../journal/events.ts";
import type { ToolCall } from "../../projections/folds/run-state.ts";
import { isSameCall, type RecordedCall, recordedCalls } from "../../projections/views/recorded-calls.ts";
import type { Store } from "../../stores/store.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

/** The proposal as judged; or, in a fork, an allowed proposal with the recorded result. */
export async function withRecordedResult(
  judged: EventBody,
  call: ToolCall,
  run: RunJournal,
  parts: Pick<LoopParts, "store">,
): Promise<EventBody[]> {
  const { effects, fork } = run.state.start!;
  if (judged.type !== "TOOL_PROPOSED" || !fork || effects === undefined) return [judged];
  const { toolCallId, name, effect, verdict, basis } = judged.payload;
  if (effect === "read" || verdict === "deny" || basis === "grant") return [judged];
  const asked = { name, input: call.input };
  const recorded = (await unusedRecordings(run, parts.store)).find((each) => isSameCall(each, asked));
  if (!recorded) return [judged];
  const { runId, seq, result } = recorded;
  const proposal = {
    toolCallId,
    name,
    effect,
    verdict: "allow" as const,
    rule: `fork: recorded in ${runId}#${seq}`,
    basis: "recorded" as const,
  };
  return [
    { type: "TOOL_PROPOSED", payload: proposal },
    { type: "TOOL_RESULT", payload: { toolCallId, ...result, recorded: { runId, seq } } },
  ];
}

/** Recorded calls that are not used yet: of the forked run first, then of the run that it was forked from. */
async function unusedRecordings(run: RunJournal, store: Pick<Store, "journal">): Promise<RecordedCall[]> {
  const found: RecordedCall[] = [];
  const used = new Set(run.state.usedRecordings);
  let { continues, fork }: Pick<Payload<"RUN_STARTED">, "continues" | "fork"> = run.state.start!;
  while (continues && fork) {
    const { runId, seq } = continues;
    const events = await store.journal.read(runId);
    found.push(...recordedCalls(events, seq));
    for (const event of events) {
      const recorded = event.type === "TOOL_RESULT" && event.seq <= seq && event.payload.recorded;
      if (recorded) used.add(recordRef(recorded));
    }
    const first = events[0];
    ({ continues, fork } =
      first?.type === "RUN_STARTED" ? first.payload : { continues: undefined, fork: undefined });
  }
  return found.filter((each) => !used.has(recordRef(each)));
}

const recordRef = ({ runId, seq }: Pick<RecordedCall, "runId" | "seq">): string => `${runId}#${seq}`;
