// The calls of a thought: each is judged, answered from what is recorded, or answered at once because it cannot be run.

import type { LoopParts } from "./parts.ts";
import { currentGrants, judgedCall } from "./propose.ts";
import { refusalOf } from "./refuse-call.ts";
import type { RunJournal } from "./run-journal.ts";
import { orRecorded } from "./stand-in.ts";

export async function proposeCalls(ids: readonly string[], run: RunJournal, parts: LoopParts): Promise<void> {
  const grants = await currentGrants(run, parts);
  const all = [...run.state.calls.keys()];
  for (const id of ids) {
    const call = run.state.calls.get(id)!;
    const refusal = refusalOf(call, all.indexOf(id), run, parts);
    const judged = refusal ?? (await judgedCall(call, grants, run, parts));
    run.record(...(await orRecorded(judged, call, run, parts)));
  }
}
