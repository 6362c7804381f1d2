// `manage_runs`: an agent checks, awaits or cancels children that it does not wait for (D2).
// It is one tool and not three, because every turn of every agent that can delegate pays for the list of tools.

import { z } from "zod";
import type { EventBody } from "../../../journal/events.ts";
import { misfit, toolResult } from "../../../patterns/events.ts";
import type { ChildRun } from "../../../projections/folds/child-runs.ts";
import type { RunState, ToolCall } from "../../../projections/folds/run-state.ts";
import { type DeclaredTool, offerOf } from "./declared-tool.ts";
import { mayStartDetached } from "./delegate.ts";

export type RunAction = "check" | "wait" | "cancel";

const ids = z.array(z.string().min(1)).min(1);
const Input = z.object({ action: z.enum(["check", "wait", "cancel"]), run_ids: ids });

/** The tools that `manage_runs` has replaced. Journals, rules and models may still use them. Their input has no `action`, and one id or several. */
const EARLIER: ReadonlyMap<string, RunAction> = new Map([
  ["check_run", "check"],
  ["wait_for_runs", "wait"],
  ["cancel_run", "cancel"],
]);
const EarlierInput = z.union([
  z.object({ run_ids: ids }),
  z.object({ run_id: z.string().min(1) }).transform(({ run_id }) => ({ run_ids: [run_id] })),
]);

const offer = offerOf("manage_runs", "For runs started with `await: false`.", Input);

export const manageRuns: DeclaredTool = {
  name: "manage_runs",
  aliases: [...EARLIER.keys()],
  kind: "loop",
  effect: "idempotent",
  reaches: ["runtime"],
  target: { kind: "name", field: "action" },
  needsDelegates: true,
  judgedInput: (call) => ({ action: actionOf(call) }),
  offered: (view) => (mayStartDetached(view) ? offer() : []),
  // Every agent is allowed to call this tool. If the agent has started no children, the result says so.
  accepts: () => true,
  decide(call, state) {
    const asked = readRunsCall(call, state);
    if ("problem" in asked || asked.action !== "wait") return undefined;
    const live = asked.children.filter(({ ended }) => !ended);
    return live.length > 0 ? { waitFor: live } : { result: endsOf(call, asked.children) };
  },
};

/** The action of a call. Undefined if the input has none. */
export const actionOf = ({ name, input }: Pick<ToolCall, "name" | "input">): RunAction | undefined =>
  EARLIER.get(name) ?? Input.shape.action.safeParse((input as { action?: unknown } | null)?.action).data;

/** The action and the children that a call names. `problem` tells the model why the input is invalid. */
export function readRunsCall(
  { name, input }: Pick<ToolCall, "name" | "input">,
  { children }: Pick<RunState, "children">,
): { action: RunAction; children: ChildRun[] } | { problem: string } {
  const earlier = EARLIER.get(name);
  const parsed = earlier === undefined ? Input.safeParse(input) : EarlierInput.safeParse(input);
  if (!parsed.success) return { problem: misfit(name, parsed.error) };
  const action = actionOf({ name, input })!;
  const unknown = parsed.data.run_ids.find((id) => !children.has(id));
  if (unknown === undefined) return { action, children: parsed.data.run_ids.map((id) => children.get(id)!) };
  const own = [...children.keys()].join(", ") || "none";
  return { problem: `${unknown} is no run that you started. Yours are: ${own}.` };
}

/** The result of waiting, once the wait is over. Each child's own answer arrives as a message. */
function endsOf(call: ToolCall, children: readonly ChildRun[]): EventBody {
  const output = children.map(({ runId, agent, ended }) => ({
    run_id: runId,
    agent,
    status: ended?.result.status,
  }));
  return toolResult(call.id, output);
}

/** Rewrites a rule that names one of the replaced tools. */
export const currentRunsRule = (rule: string): string => {
  const action = EARLIER.get(rule.trim().replace(/\(.*$/s, "").toLowerCase());
  return action === undefined ? rule : `${manageRuns.name}(${action})`;
};
