// Resolves aliases of tools in agent files and configurations. Rules are judged by the tool's own name, so an alias that stayed
// in a deny rule would forbid nothing.

import type { AnyTool } from "./tool.ts";

/** The tool's own name for any of its names, in any letter case; an unknown name is returned as it is. */
export function canonicalToolName(name: string, tools: readonly AnyTool[]): string {
  const wanted = name.toLowerCase();
  const found = tools.find((tool) => tool.name.toLowerCase() === wanted || tool.aliases?.includes(wanted));
  return found?.name ?? name;
}

/** The same for a rule: `shell_command_execute(npm test)` is `Bash(npm test)`. */
export function canonicalRule(rule: string, tools: readonly AnyTool[]): string {
  const at = rule.indexOf("(");
  if (at < 0) return canonicalToolName(rule.trim(), tools);
  return canonicalToolName(rule.slice(0, at).trim(), tools) + rule.slice(at);
}
