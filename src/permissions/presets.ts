// What holds where no rule says anything: asks before a change that matters, lets the rest pass.

const ASK_BY_DEFAULT = new Set(["Write", "Edit", "Bash", "restart_service"]);

export function asksByDefault(tool: string): boolean {
  return ASK_BY_DEFAULT.has(tool) || tool.startsWith("mcp__");
}
