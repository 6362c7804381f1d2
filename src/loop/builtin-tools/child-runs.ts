// Performs `check_run`, `wait_for_runs` and `cancel_run`.

import type { ChildRun } from "../../projections/folds/child-runs.ts";
import { receiptField, type ToolCall } from "../../projections/folds/tool-call.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { type BuiltinTool, loopTool, resultOf } from "./builtin-tool.ts";
import { cancelRun, checkRun, childrenIn, waitForRuns } from "./declared/child-runs.ts";

export const CHILD_RUNS: readonly BuiltinTool[] = [
  loopTool(checkRun, { perform: reportStatus }),
  // `decide` answers a valid `wait_for_runs` call itself. This function only reports why a call is invalid.
  loopTool(waitForRuns, { perform: reportStatus }),
  loopTool(cancelRun, { perform: cancelChild }),
];

async function reportStatus(
  call: ToolCall,
  run: RunJournal,
  { store }: Pick<LoopParts, "store">,
): Promise<void> {
  const found = childrenIn(call, run.state);
  if ("problem" in found) return run.record(resultOf(call, found.problem, true));
  run.record(resultOf(call, await Promise.all(found.map((child) => statusOf(child, store)))));
}

async function cancelChild(
  call: ToolCall,
  run: RunJournal,
  { store, digest }: Pick<LoopParts, "store" | "digest">,
): Promise<void> {
  const found = childrenIn(call, run.state);
  if ("problem" in found) return run.record(resultOf(call, found.problem, true));
  const payload = { toolCallId: call.id, ...receiptField(call, { digest }) };
  if (await run.beginWork([{ type: "TOOL_STARTED", payload }])) return;
  const { runId } = found[0]!;
  await store.runs.cancel(runId, { by: run.definition.name, via: run.runId });
  run.record(resultOf(call, { run_id: runId, status: "cancelling" }));
}

async function statusOf({ runId, agent }: ChildRun, store: LoopParts["store"]): Promise<object> {
  const row = await store.runs.get(runId);
  return {
    run_id: runId,
    agent,
    status: row?.status,
    waiting_on: row?.waitingOn?.kind,
    turns: row?.turns,
  };
}
