// Performs `manage_runs`.

import type { ChildRun } from "../../projections/folds/child-runs.ts";
import { receiptField, type ToolCall } from "../../projections/folds/tool-call.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { type BuiltinTool, loopTool, resultOf } from "./builtin-tool.ts";
import { actionOf, manageRuns, readRunsCall } from "./declared/child-runs.ts";

export const MANAGE_RUNS: BuiltinTool = loopTool(manageRuns, {
  perform,
  effectOf: (call) => (actionOf(call) === "cancel" ? "idempotent" : "read"),
});

/** Performs `check` and `cancel`, and reports why a call is invalid. A valid `wait` never gets here, because `decide` answers it. */
async function perform(
  call: ToolCall,
  run: RunJournal,
  { store, digest }: Pick<LoopParts, "store" | "digest">,
): Promise<void> {
  const asked = readRunsCall(call, run.state);
  if ("problem" in asked) return run.record(resultOf(call, asked.problem, true));
  const { action, children } = asked;
  if (action !== "cancel")
    return run.record(resultOf(call, await Promise.all(children.map((child) => statusOf(child, store)))));
  const payload = { toolCallId: call.id, ...receiptField(call, { digest }) };
  if (await run.beginWork([{ type: "TOOL_STARTED", payload }])) return;
  for (const { runId } of children)
    await store.runs.cancel(runId, { by: run.definition.name, via: run.runId });
  run.record(
    resultOf(
      call,
      children.map(({ runId }) => ({ run_id: runId, status: "cancelling" })),
    ),
  );
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
