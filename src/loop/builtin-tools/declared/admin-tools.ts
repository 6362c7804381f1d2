// `mcp__admin__*` and `mcp__monitoring__*`: how an agent looks after the runs of a project (S1-1). Declared here by schema
// only; `admin.ts` performs them. Only an agent whose file names them has them: "every tool" does not mean these.

import { z } from "zod";
import type { Definition, Effect } from "../../../journal/definition.ts";
import { RunStatus } from "../../../journal/events.ts";
import type { ToolCall } from "../../../projections/folds/tool-call.ts";
import type { LoopParts } from "../../parts.ts";
import type { OfferedTool } from "./delegate.ts";

const One = z.strictObject({ run_id: z.string().min(1).describe("The run's id.") });
const Reasoned = One.extend({ reason: z.string().optional().describe("Why; people read it.") });
const Listed = z.strictObject({
  status: z.array(RunStatus).min(1).optional().describe("Only runs that stand so."),
  agent: z.string().min(1).optional().describe("Only runs of this agent, by its full name."),
  limit: z.int().min(1).max(50).optional().describe("How many, the newest first; 20 by default."),
});

interface AdminTool {
  effect: Effect;
  description: string;
  input: z.ZodType<{ run_id?: string; reason?: string | undefined } & Partial<z.infer<typeof Listed>>>;
}

const TOOLS: Record<string, AdminTool> = {
  mcp__admin__list_runs: {
    effect: "read",
    description: "List the runs of this project, the newest first: whose they are, how they stand, what for.",
    input: Listed,
  },
  mcp__admin__cancel_run: {
    effect: "unsafe",
    description: "Cancel a run and everything below it. Not your own, and none that you work for.",
    input: Reasoned,
  },
  mcp__admin__retry_run: {
    effect: "unsafe",
    description: "Try an ended run again: a new run goes on from its last good event, and you pay for it.",
    input: One,
  },
  mcp__admin__recover_run: {
    effect: "unsafe",
    description: "Let a run go on that was set aside because it could not be driven.",
    input: One,
  },
  mcp__monitoring__health: {
    effect: "read",
    description:
      "How the runs of this project stand: how many of each status, who needs a person, what is stuck.",
    input: z.strictObject({}),
  },
  mcp__monitoring__run_status: {
    effect: "read",
    description: "Where one run stands, what it waits for, what it has used, and its children.",
    input: One,
  },
};

export const ADMIN_TOOLS: readonly string[] = Object.keys(TOOLS);

export const isAdmin = (tool: string): boolean => Object.hasOwn(TOOLS, tool);

export const effectOfAdmin = (tool: string): Effect => TOOLS[tool]!.effect;

/** Names and effects of those that an agent has. */
export function adminHeld(
  definition: Definition,
  { offers }: Pick<LoopParts, "offers">,
): { name: string; effect: Effect }[] {
  if (definition.tools.allow === undefined) return [];
  return Object.entries(TOOLS)
    .map(([name, { effect }]) => ({ name, effect }))
    .filter((tool) => offers(definition, tool));
}

export function adminTools(definition: Definition, parts: Pick<LoopParts, "offers">): OfferedTool[] {
  return adminHeld(definition, parts).map(({ name }) => {
    const { description, input } = TOOLS[name]!;
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" }) as Record<string, unknown>;
    return { name, description, schema };
  });
}

/** What a call asks for; a sentence for the model where its input does not fit. */
export function parseAdminCall({ name, input, invalid }: ToolCall) {
  if (invalid !== undefined) return { problem: `The input of ${name} was no valid JSON; nothing was done.` };
  const parsed = TOOLS[name]!.input.safeParse(input ?? {});
  return parsed.success
    ? { asked: parsed.data }
    : { problem: `The input of ${name} does not fit: ${z.prettifyError(parsed.error)}` };
}
