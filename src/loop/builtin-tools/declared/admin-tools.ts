// The tools `mcp__admin__*` and `mcp__monitoring__*`, with which an agent looks after the runs of a project (S1-1).
// An agent has one of these tools only if its file names that tool.

import { z } from "zod";
import type { Definition, Effect } from "../../../journal/definition.ts";
import { RunStatus } from "../../../journal/events.ts";
import type { ToolFacts } from "../../../journal/tool-facts.ts";
import { invalidJson, misfit } from "../../../patterns/events.ts";
import type { ToolCall } from "../../../projections/folds/tool-call.ts";
import { type DeclaredTool, offerOf, type ToolGate } from "./declared-tool.ts";

const One = z.strictObject({ run_id: z.string().min(1).describe("The run's id.") });
const Reasoned = One.extend({ reason: z.string().optional().describe("Why; people read it.") });
const Listed = z.strictObject({
  status: z.array(RunStatus).min(1).optional().describe("Only runs with one of these statuses."),
  agent: z.string().min(1).optional().describe("Only runs of this agent, by its full name."),
  limit: z.int().min(1).max(50).optional().describe("How many, the newest first; 20 by default."),
});

export type AdminInput = { run_id?: string; reason?: string | undefined } & Partial<z.infer<typeof Listed>>;

export interface DeclaredAdminTool extends DeclaredTool {
  readonly input: z.ZodType<AdminInput>;
}

/** Facts about the tools that act on runs of other trees. They are declared to reach everything, because the other run could do anything. */
const ON_OTHER_RUNS: ToolFacts = {
  reaches: ["commands", "files", "network"],
  hosts: [],
  target: { kind: "name", field: "run_id" },
};

export const listRuns = adminTool({
  name: "mcp__admin__list_runs",
  effect: "read",
  reaches: [],
  description: "List the runs of this project, the newest first, with their agents, statuses and tasks.",
  input: Listed,
});

export const cancelRun = adminTool({
  name: "mcp__admin__cancel_run",
  effect: "unsafe",
  ...ON_OTHER_RUNS,
  description: "Cancel a run and everything below it. Not your own, and none that you work for.",
  input: Reasoned,
});

export const retryRun = adminTool({
  name: "mcp__admin__retry_run",
  effect: "unsafe",
  ...ON_OTHER_RUNS,
  description:
    "Try an ended run again: a new run continues from its last good event, and your budget pays for it.",
  input: One,
});

export const recoverRun = adminTool({
  name: "mcp__admin__recover_run",
  effect: "unsafe",
  ...ON_OTHER_RUNS,
  description: "Let a run continue that was set aside because it could not be driven.",
  input: One,
});

export const health = adminTool({
  name: "mcp__monitoring__health",
  effect: "read",
  reaches: [],
  description:
    "Show the health of this project: how many runs have each status, which need a person, and which are stuck.",
  input: z.strictObject({}),
});

export const runStatus = adminTool({
  name: "mcp__monitoring__run_status",
  effect: "read",
  reaches: [],
  description: "Show one run: its status, what it waits for, what it has used, and its children.",
  input: One,
});

export const ADMIN_TOOLS: readonly DeclaredAdminTool[] = [
  listRuns,
  cancelRun,
  retryRun,
  recoverRun,
  health,
  runStatus,
];

function adminTool({
  description,
  input,
  ...tool
}: ToolFacts & {
  name: string;
  effect: Effect;
  description: string;
  input: z.ZodType<AdminInput>;
}): DeclaredAdminTool {
  const listedBy = (definition: Definition, gate: ToolGate): boolean =>
    definition.tools.allow !== undefined && gate.offers(definition, tool);
  const offer = offerOf(tool.name, description, input);
  return {
    ...tool,
    kind: "loop",
    input,
    listedBy,
    offered: ({ definition }, gate) => (listedBy(definition, gate) ? offer() : []),
  };
}

/** The input of a call. `problem` tells the model why the input does not match the schema. */
export function parseAdminCall(
  tool: DeclaredAdminTool,
  { name, input, invalid }: ToolCall,
): { asked: AdminInput } | { problem: string } {
  const unreadable = invalidJson({ name, invalid });
  if (unreadable !== undefined) return { problem: unreadable };
  const parsed = tool.input.safeParse(input ?? {});
  return parsed.success ? { asked: parsed.data } : { problem: misfit(name, parsed.error) };
}
