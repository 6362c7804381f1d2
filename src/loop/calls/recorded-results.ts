// In a fork, what the other run did after the fork's point is not done once more: its recorded result stands in, once
// for each time that it was done, and says so. A rule that denies comes first; so does a grant that was given in the fork.

import type { EventBody, Payload } from "../../journal/events.ts";
import { GRANT_RULE } from "../../permissions/permission.ts";
import type { ToolCall } from "../../projections/folds/run-state.ts";
import { isSameCall, type RecordedCall, recordedCalls } from "../../projections/views/recorded-calls.ts";
import type { Store } from "../../stores/store.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

const RECORDED_IN = "fork: recorded in ";

/** Whether it was decided by what is recorded, not by a rule. */
export const isStandIn = (rule: string): boolean => rule.startsWith(RECORDED_IN);

/** The proposal as it was judged, or as it is answered by what is recorded. */
export async function withRecordedResult(
  judged: EventBody,
  call: ToolCall,
  run: RunJournal,
  parts: Pick<LoopParts, "store">,
): Promise<EventBody[]> {
  const { effects, fork } = run.state.start!;
  if (judged.type !== "TOOL_PROPOSED" || !fork || effects === undefined) return [judged];
  const { toolCallId, name, effect, verdict, rule } = judged.payload;
  if (effect === "read" || verdict === "deny" || rule.startsWith(GRANT_RULE)) return [judged];
  const asked = { name, input: call.input };
  const recorded = (await standingIn(run, parts.store)).find((each) => isSameCall(each, asked));
  if (!recorded) return [judged];
  const { runId, seq, result } = recorded;
  const proposal = {
    toolCallId,
    name,
    effect,
    verdict: "allow" as const,
    rule: `${RECORDED_IN}${runId}#${seq}`,
  };
  return [
    { type: "TOOL_PROPOSED", payload: proposal },
    { type: "TOOL_RESULT", payload: { toolCallId, ...result, recorded: { runId, seq } } },
  ];
}

/** What has not stood in yet, of the forked run first, then of the one that it was forked off itself. */
async function standingIn(run: RunJournal, store: Pick<Store, "journal">): Promise<RecordedCall[]> {
  const found: RecordedCall[] = [];
  const used = new Set(run.state.usedRecordings);
  let { continues, fork }: Pick<Payload<"RUN_STARTED">, "continues" | "fork"> = run.state.start!;
  while (continues && fork) {
    const { runId, seq } = continues;
    const events = await store.journal(runId);
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
