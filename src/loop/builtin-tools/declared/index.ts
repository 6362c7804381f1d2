// The declarations of all built-in tools, in the order in which a model is offered them.

import { ADMIN_TOOLS } from "./admin-tools.ts";
import { askUser } from "./ask-user.ts";
import { manageRuns } from "./child-runs.ts";
import { finalReport, TEAM_TOOLS } from "./closing-tools.ts";
import type { DeclaredTool } from "./declared-tool.ts";
import { DELEGATION_TOOLS, PER_AGENT_NAME, runAgent } from "./delegate.ts";
import { sendMessage } from "./send-message.ts";
import { mcpCall, toolSearch } from "./tool-search.ts";

export const DECLARED_TOOLS: readonly DeclaredTool[] = [
  ...DELEGATION_TOOLS,
  manageRuns,
  sendMessage,
  ...ADMIN_TOOLS,
  askUser,
  toolSearch,
  mcpCall,
  ...TEAM_TOOLS,
  finalReport,
];

const byName = new Map(
  DECLARED_TOOLS.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])].map((name) => [name, tool] as const)),
);

/** The built-in tool with this name or alias. Undefined if no built-in tool has the name. */
export const declaredTool = (name: string): DeclaredTool | undefined =>
  byName.get(name) ?? (PER_AGENT_NAME.test(name) ? runAgent : undefined);

/** Names that an agent's file is allowed to list although no tool of the project has them. */
export const BUILTIN_TOOL_NAMES: readonly string[] = DECLARED_TOOLS.filter(
  ({ unlisted }) => !unlisted,
).flatMap(({ name, aliases = [] }) => [name, ...aliases]);
