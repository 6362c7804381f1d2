// The tools `check_run`, `wait_for_runs` and `cancel_run`, with which an agent looks after children that it does not wait for (D2).

import { z } from "zod";
import type { EventBody } from "../../../journal/events.ts";
import { misfit, toolResult } from "../../../patterns/events.ts";
import type { ChildRun } from "../../../projections/folds/child-runs.ts";
import type { RunState, ToolCall } from "../../../projections/folds/run-state.ts";
import { type DeclaredTool, offerOf } from "./declared-tool.ts";
import { mayStartDetached } from "./delegate.ts";

const OneRun = z.object({ run_id: z.string().min(1).describe("The id that starting it gave you.") });
const SeveralRuns = z.object({
  run_ids: z.array(z.string().min(1)).min(1).describe("The ids that starting them gave you."),
});

export const checkRun = childRunTool({
  name: "check_run",
  effect: "read",
  reaches: [],
  description: "Look at a run that you started and do not wait for.",
  input: OneRun,
});

export const waitForRuns: DeclaredTool = {
  ...childRunTool({
    name: "wait_for_runs",
    effect: "read",
    reaches: [],
    description: "Wait until the runs that you started have ended.",
    input: SeveralRuns,
  }),
  decide(call, state) {
    const children = childrenIn(call, state);
    if ("problem" in children) return undefined;
    const live = children.filter(({ ended }) => !ended);
    return live.length > 0 ? { waitFor: live } : { result: endsOf(call, children) };
  },
};

export const cancelRun = childRunTool({
  name: "cancel_run",
  effect: "idempotent",
  reaches: ["runtime"],
  description: "Cancel a run that you started, and everything below it.",
  input: OneRun,
});

export const CHILD_RUN_TOOLS: readonly DeclaredTool[] = [checkRun, waitForRuns, cancelRun];

function childRunTool({
  description,
  input,
  ...tool
}: Pick<DeclaredTool, "name" | "effect" | "reaches"> & {
  description: string;
  input: z.ZodType;
}): DeclaredTool {
  const offer = offerOf(tool.name, description, input, true);
  return {
    ...tool,
    kind: "loop",
    needsDelegates: true,
    offered: (view) => (mayStartDetached(view) ? offer() : []),
    // Every agent is allowed to call these tools. If the agent has started no children, the result says so.
    accepts: () => true,
  };
}

/** The children that a call names. `problem` tells the model why the input is invalid. */
export function childrenIn(
  { name, input }: ToolCall,
  { children }: RunState,
): ChildRun[] | { problem: string } {
  const parsed = (name === waitForRuns.name ? SeveralRuns : OneRun).safeParse(input);
  if (!parsed.success) return { problem: misfit(name, parsed.error) };
  const ids = "run_ids" in parsed.data ? parsed.data.run_ids : [parsed.data.run_id];
  const unknown = ids.find((id) => !children.has(id));
  if (unknown === undefined) return ids.map((id) => children.get(id)!);
  const own = [...children.keys()].join(", ") || "none";
  return { problem: `${unknown} is no run that you started. Yours are: ${own}.` };
}

/** The result of `wait_for_runs` once the wait is over. Each child's own answer arrives as a message. */
function endsOf(call: ToolCall, children: readonly ChildRun[]): EventBody {
  const output = children.map(({ runId, agent, ended }) => ({
    run_id: runId,
    agent,
    status: ended?.result.status,
  }));
  return toolResult(call.id, output);
}
