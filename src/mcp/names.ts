// Names of MCP servers and their tools.
// Models and people must be able to distinguish the names easily.
// A server must not be able to choose a name that looks like another server's name (A50).

import type { Definition } from "../journal/definition.ts";

/** The tool's full name, which models, rules and the UI use. */
export const toolName = (server: string, tool: string): string => `mcp__${server}__${tool}`;

/** The longest tool name that providers accept. */
const LONGEST = 64;

/** Server names that Cadre uses itself. For example, `mcp__agent__spawn` is a delegation. */
const RESERVED = new Set(["agent", "admin", "monitoring", "cadre"]);

/** Says why a server cannot have this name. Returns undefined if the name is allowed. */
export function serverNameProblem(name: string): string | undefined {
  if (!/^[a-z0-9]+([_-][a-z0-9]+)*$/.test(name))
    return "its name must be small letters, digits, and single - or _ between them";
  if (name.length > 32) return "its name is longer than 32 characters";
  return RESERVED.has(name) ? "that name is taken by Cadre itself" : undefined;
}

/** Says why a server's tool cannot have this name. Returns undefined if the name is allowed. */
export function toolNameProblem(server: string, tool: string): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(tool)) return "its name has other characters than letters, digits, - and _";
  return toolName(server, tool).length > LONGEST
    ? `its name makes more than the ${LONGEST} characters that providers take`
    : undefined;
}

/** Finds names that look alike. Cadre cannot know which name is the fake, so it returns all of them. */
export function lookalikes(names: readonly string[]): Set<string> {
  const groups = Map.groupBy(names, skeleton);
  return new Set([...groups.values()].filter((group) => group.length > 1).flat());
}

/** Returns the same text for names that look alike, such as `Read-File`, `read_file` and `read_fi1e`. */
const skeleton = (name: string): string =>
  name.toLowerCase().replaceAll("-", "_").replaceAll("0", "o").replaceAll(/[1i]/g, "l").replaceAll("rn", "m");

/** The servers that an agent can use: servers in its `mcpServers`, and servers whose tools are named in its `tools`. */
export function serversOfAgent(
  { mcpServers = [], tools }: Pick<Definition, "mcpServers" | "tools">,
  servers: readonly string[],
): string[] {
  const patterns = (tools.allow ?? []).flatMap((rule) => serverPattern(rule) ?? []);
  return servers.filter(
    (name) => mcpServers.includes(name) || patterns.some((pattern) => pattern.test(name)),
  );
}

/** Makes a pattern that matches the servers of a rule such as `mcp__git__log` or `mcp__*`. Undefined if the rule is not about servers. */
function serverPattern(rule: string): RegExp | undefined {
  const name = rule.split("(", 1)[0]!.trim();
  if (!name.startsWith("mcp__")) return undefined;
  const [server = ""] = name.slice("mcp__".length).split("__", 1);
  const source = server.split("*").map((piece) => RegExp.escape(piece));
  return new RegExp(`^${source.join(".*")}$`);
}
