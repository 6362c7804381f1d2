// What an agent does with children that it does not wait for (D2): look, wait, cancel. Declared by schema, performed here.

import { z } from "zod";
import type { EventBody } from "../../journal/events.ts";
import type { ChildRun } from "../../projections/folds/child-runs.ts";
import type { RunState, ToolCall } from "../../projections/folds/run-state.ts";
import { receiptField } from "../../projections/folds/tool-call.ts";
import { beginWork } from "../begin-work.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import type { OfferedTool } from "./declared/delegate.ts";

export const WAIT_FOR_RUNS = "wait_for_runs";

const One = z.object({ run_id: z.string().min(1).describe("The id that starting it gave you.") });
const Several = z.object({
  run_ids: z.array(z.string().min(1)).min(1).describe("The ids that starting them gave you."),
});

const TOOLS: Record<
  string,
  { description: string; input: z.ZodType<{ run_id?: string; run_ids?: string[] }> }
> = {
  check_run: { description: "Look at a run that you started and do not wait for.", input: One },
  [WAIT_FOR_RUNS]: { description: "Wait until the runs that you started have ended.", input: Several },
  cancel_run: { description: "Cancel a run that you started, and everything below it.", input: One },
};

export const tendingTools: readonly OfferedTool[] = Object.entries(TOOLS).map(
  ([name, { description, input }]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(input) as Record<string, unknown>;
    return { name, description, schema };
  },
);

export const isTending = (tool: string): boolean => Object.hasOwn(TOOLS, tool);

/** The children that a call speaks of; a sentence where it speaks of none. */
export function childrenOf(
  { name, input }: ToolCall,
  { children }: RunState,
): ChildRun[] | { problem: string } {
  const parsed = TOOLS[name]!.input.safeParse(input);
  if (!parsed.success)
    return { problem: `The input of ${name} does not fit: ${z.prettifyError(parsed.error)}` };
  const ids = parsed.data.run_ids ?? [parsed.data.run_id!];
  const unknown = ids.find((id) => !children.has(id));
  if (unknown === undefined) return ids.map((id) => children.get(id)!);
  const own = [...children.keys()].join(", ") || "none";
  return { problem: `${unknown} is no run that you started. Yours are: ${own}.` };
}

export async function tendChildren(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<void> {
  const found = childrenOf(call, run.state);
  if ("problem" in found) return run.record(answer(call, found.problem, true));
  if (call.name === "cancel_run") {
    const { runId } = found[0]!;
    const refused = await beginWork([started(call, parts)], run, parts);
    if (refused) return;
    await parts.store.cancel(runId, { by: run.definition.name, via: run.runId });
    return run.record(answer(call, { run_id: runId, status: "cancelling" }));
  }
  run.record(answer(call, await Promise.all(found.map((child) => statusOf(child, parts)))));
}

/** What a call that waited is told; what each child said comes as a message of its own. */
export function waited(call: ToolCall, children: readonly ChildRun[]): EventBody {
  return answer(
    call,
    children.map(({ runId, agent, ended }) => ({ run_id: runId, agent, status: ended?.result.status })),
  );
}

const started = (call: ToolCall, parts: LoopParts): EventBody => ({
  type: "TOOL_STARTED",
  payload: { toolCallId: call.id, ...receiptField(call, parts) },
});

function answer(call: ToolCall, output: unknown, isError = false): EventBody {
  return { type: "TOOL_RESULT", payload: { toolCallId: call.id, output, ...(isError ? { isError } : {}) } };
}

async function statusOf(child: ChildRun, { store }: LoopParts): Promise<object> {
  const row = await store.run(child.runId);
  const { agent, runId } = child;
  return {
    run_id: runId,
    agent,
    status: row?.status,
    waiting_on: row?.waitingOn?.kind,
    turns: row?.turns,
  };
}
