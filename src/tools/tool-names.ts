// Resolves aliases of tools in agent files and configurations.
// Rules match only a tool's main name, so an unresolved alias in a deny rule would forbid nothing.

import type { AnyTool } from "./tool.ts";

/** Resolves a tool's name or alias, in any letter case, to its main name. An unknown name is returned unchanged. */
export function canonicalToolName(name: string, tools: readonly AnyTool[]): string {
  const wanted = name.toLowerCase();
  const found = tools.find((tool) => tool.name.toLowerCase() === wanted || tool.aliases?.includes(wanted));
  return found?.name ?? name;
}

/** Resolves the tool's name in a rule: for `shell_command_execute(npm test)`, it returns `Bash(npm test)`. */
export function canonicalRule(rule: string, tools: readonly AnyTool[]): string {
  const at = rule.indexOf("(");
  if (at < 0) return canonicalToolName(rule.trim(), tools);
  return canonicalToolName(rule.slice(0, at).trim(), tools) + rule.slice(at);
}
