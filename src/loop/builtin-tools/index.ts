// The built-in tools whose calls are proposed and performed. Closing tools are in `declared/closing-tools.ts`.

import { ADMIN } from "./admin-tools.ts";
import { askUser } from "./ask-user.ts";
import type { BuiltinTool } from "./builtin-tool.ts";
import { MANAGE_RUNS } from "./child-runs.ts";
import { declaredTool } from "./declared/index.ts";
import { DELEGATIONS } from "./delegate.ts";
import { sendMessage } from "./send-message.ts";
import { TOOL_SEARCHES } from "./tool-search.ts";

export const BUILTIN_TOOLS: readonly BuiltinTool[] = [
  ...DELEGATIONS,
  MANAGE_RUNS,
  sendMessage,
  ...ADMIN,
  askUser,
  ...TOOL_SEARCHES,
];

const byName = new Map(BUILTIN_TOOLS.map((tool) => [tool.name, tool]));

export const builtinTool = (name: string): BuiltinTool | undefined =>
  byName.get(declaredTool(name)?.name ?? "");
