// If an agent names an MCP server, in `mcpServers` or in a tool name, cadre.yaml must declare the server.
// An undeclared server is reported, because the agent would get no tools from it.

import { nearestWord } from "../../config/problem.ts";
import { type Finding, warningAt } from "../../patterns/declarations/finding.ts";
import type { Check } from "./check.ts";

/** Prefixes of built-in tool names that look like server names. */
const OUR_OWN = new Set(["agent", "admin", "monitoring"]);
/** Groups of built-in tools, which agents name as they name servers. */
const GROUPS = new Set(["git"]);

export const checkServers: Check = ({ definition }, { servers: known }) => {
  if (!known) return [];
  const ownServers = (definition.mcpServers ?? []).map((name) => ({ key: "mcpServers", name }));
  const toolServers = (definition.tools.allow ?? []).flatMap((rule) => {
    const [, name] = /^mcp__([^*]+?)__/.exec(rule) ?? [];
    return name === undefined || OUR_OWN.has(name) ? [] : [{ key: "tools", name }];
  });
  const missing = [...ownServers, ...toolServers].filter(
    ({ name }) => !known.includes(name) && !GROUPS.has(name),
  );
  const once = new Map(missing.map((one) => [`${one.key} ${one.name}`, one]));
  return [...once.values()].map(({ key, name }): Finding => {
    const meant = nearestWord(name, known);
    const suggestion = meant ? `did you mean \`${meant}\`?` : "declare it in cadre.yaml's `mcpServers`";
    return warningAt(key, "UNKNOWN_SERVER", `no MCP server is called \`${name}\``, { suggestion });
  });
};
