// Other names for tools, as agent files and configurations use them. Rules are judged by the tool's own name, so a
// deny written with another name must be brought to it first: unresolved it would forbid nothing.

import type { AnyTool } from "./tool.ts";

/** The tool's own name for any of its names, in any letter case; a name nobody knows stays as it is. */
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
