// The calls of a thought: each is judged, answered from what is recorded, or answered at once because it cannot be run.

import { currentGrants, proposeCall } from "./calls/propose.ts";
import { withRecordedResult } from "./calls/recorded-results.ts";
import type { RunJournal } from "./drive/run-journal.ts";
import type { LoopParts } from "./parts.ts";
import { immediateResult } from "./refuse-call.ts";

export async function proposeCalls(ids: readonly string[], run: RunJournal, parts: LoopParts): Promise<void> {
  const grants = await currentGrants(run, parts);
  const all = [...run.state.calls.keys()];
  for (const id of ids) {
    const call = run.state.calls.get(id)!;
    const refusal = immediateResult(call, all.indexOf(id), run, parts);
    const judged = refusal ?? (await proposeCall(call, grants, run, parts));
    run.record(...(await withRecordedResult(judged, call, run, parts)));
  }
}
