// The servers that an agent may use: those listed in its `mcpServers`, and those whose tools are named in its `tools`.

import type { Definition } from "../journal/definition.ts";

export function serversOfAgent(
  { mcpServers = [], tools }: Pick<Definition, "mcpServers" | "tools">,
  servers: readonly string[],
): string[] {
  const patterns = (tools.allow ?? []).flatMap((rule) => serverPattern(rule) ?? []);
  return servers.filter(
    (name) => mcpServers.includes(name) || patterns.some((pattern) => pattern.test(name)),
  );
}

/** The servers that a rule such as `mcp__git__log`, `mcp__git__*` or `mcp__*` can match; undefined if none. */
export function serverPattern(rule: string): RegExp | undefined {
  const name = rule.split("(", 1)[0]!.trim();
  if (!name.startsWith("mcp__")) return undefined;
  const [server = ""] = name.slice("mcp__".length).split("__", 1);
  const source = server.split("*").map((piece) => RegExp.escape(piece));
  return new RegExp(`^${source.join(".*")}$`);
}
