// A67: finds out whether another agent is allowed to do more than the agent that gives it work.
// An agent's file lists the agents that it is allowed to use.
// Untrusted input could influence which of these agents the model chooses. The chosen agent might have tools that the tainted run lacks.
// A person must approve the calls of these tools.

import { CadreError, isTemporary } from "../../errors.ts";
import { baseName } from "../../journal/agent-id.ts";
import type { Definition } from "../../journal/definition.ts";
import { canReach, type DeclaredFacts } from "../../journal/tool-facts.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import { isTainted } from "../../projections/folds/taint.ts";
import type { ToolCall } from "../../projections/folds/tool-call.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { type DelegationRequest, findDelegate } from "../builtin-tools/declared/delegate.ts";
import { DECLARED_TOOLS } from "../builtin-tools/declared/index.ts";
import type { LoopParts } from "../parts.ts";

type Parts = Pick<LoopParts, "tools" | "offers" | "findAgent">;

/**
 * Names the tools that the other agent has and this agent lacks. Undefined if there are none, or if the run is not tainted.
 * Only an external program needs approval before it starts. For any other agent, single calls need approval (`toolsBeyond`).
 */
export async function delegationEscalation(
  { name }: DelegationRequest,
  view: DecisionView,
  parts: Parts,
): Promise<string | undefined> {
  const delegate = findDelegate(view.definition.delegates ?? [], name);
  return delegate && escalationTo(delegate.agent, view, parts, ({ runner }) => runner !== undefined);
}

export async function messageEscalation(
  { input }: ToolCall,
  view: DecisionView,
  parts: Parts,
): Promise<string | undefined> {
  const { to } = (input ?? {}) as { to?: unknown };
  return typeof to === "string" ? escalationTo(to, view, parts) : undefined;
}

async function escalationTo(
  name: string,
  view: DecisionView,
  parts: Parts,
  isAsked: (other: Definition) => boolean = () => true,
): Promise<string | undefined> {
  try {
    const other = await parts.findAgent(name);
    const more = isAsked(other) ? toolsBeyond(other, view, parts) : [];
    if (more.length === 0) return undefined;
    return `${baseName(other.name)} has ${more.join(", ")} beyond what ${baseName(view.definition.name)} has`;
  } catch (error) {
    if (!(error instanceof CadreError) || isTemporary(error)) throw error;
    // The other agent cannot be started at all. A later attempt to start it reports the reason.
    return undefined;
  }
}

/** The tools that may do harm, and that the other agent has and this agent lacks. Empty if the run is not tainted. */
export function toolsBeyond(
  other: Definition,
  { definition, state }: DecisionView,
  parts: Pick<Parts, "tools" | "offers">,
): string[] {
  if (!isTainted(state.taint)) return [];
  const tools = [...new Set(parts.tools.values())].filter((tool) => hasMore(other, definition, tool, parts));
  const builtin = DECLARED_TOOLS.filter(
    ({ listedBy }) => listedBy?.(other, parts) && !listedBy(definition, parts),
  );
  return [...tools, ...builtin].filter(mayHarm).map((tool) => tool.name);
}

const mayHarm = (tool: DeclaredFacts & Pick<AnyTool, "effect">): boolean =>
  tool.effect === "unsafe" || canReach(tool, "files");

function hasMore(
  other: Definition,
  own: Definition,
  tool: AnyTool,
  { offers }: Pick<Parts, "offers">,
): boolean {
  if (!offers(other, tool)) return false;
  if (!offers(own, tool)) return true;
  // `Bash(npm test)` allows less than `Bash`, and less than `Bash(npm *)`.
  const allowsWholeTool = (one: Definition): boolean => offers(withoutPatterns(one), tool);
  return (
    !allowsWholeTool(own) &&
    (allowsWholeTool(other) || !patternsOf(other, tool).every((rule) => own.tools.allow?.includes(rule)))
  );
}

function withoutPatterns(definition: Definition): Definition {
  const { allow, ...tools } = definition.tools;
  if (allow === undefined) return definition;
  return { ...definition, tools: { ...tools, allow: allow.filter((rule) => !rule.includes("(")) } };
}

const patternsOf = ({ tools }: Definition, { name }: AnyTool): string[] =>
  (tools.allow ?? []).filter((rule) => rule.startsWith(`${name}(`));
