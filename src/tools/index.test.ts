import { expect, it } from "vitest";
import { CHANGING_TOOLS } from "../agents/dialects/tool-gate.ts";
import { FILE_CHANGING_TOOLS, KNOWN_TOOLS, targetOf } from "../agents/dialects/tool-names.ts";
import { canReach } from "../journal/tool-facts.ts";
import { builtinTools } from "./index.ts";
import { inputSchemaOf } from "./input-schema.ts";
import { canonicalRule, canonicalToolName } from "./tool-names.ts";

it("every tool name and alias belongs to exactly one tool", () => {
  const names = builtinTools.flatMap((tool) => [tool.name.toLowerCase(), ...(tool.aliases ?? [])]);
  expect(new Set(names).size).toBe(names.length);
});

it("every tool declares its effect and whether it reaches files, commands or the network", () => {
  expect(builtinTools.map(({ name, effect, reaches }) => [name, effect, ...reaches])).toEqual([
    ["Read", "read"],
    ["Write", "idempotent", "files"],
    ["Edit", "idempotent", "files"],
    ["Glob", "read"],
    ["Grep", "read"],
    ["LS", "read"],
    ["Bash", "unsafe", "commands", "files", "network"],
    ["BashOutput", "read"],
    ["BashInput", "unsafe", "commands", "files", "network"],
    ["TodoWrite", "read"],
    ["loki_query", "read", "network"],
    ["loki_labels", "read", "network"],
    ["loki_service_errors", "read", "network"],
    ["prometheus_query", "read", "network"],
    ["prometheus_range", "read", "network"],
    ["prometheus_alerts", "read", "network"],
    ["restart_service", "unsafe", "commands"],
    ["WebFetch", "read", "network"],
    ["WebSearch", "read", "network"],
    ["Skill", "read"],
    ["mcp__git__status", "read"],
    ["mcp__git__diff", "read"],
    ["mcp__git__log", "read"],
    ["mcp__git__commit", "unsafe", "files"],
    ["mcp__git__branch", "idempotent", "files"],
  ]);
});

/** The tools that are not a part of another tool. A deny rule for a tool also covers its parts. */
const wholeTools = builtinTools.filter(({ partOf }) => partOf === undefined);

it("a read-only agent from another product is denied every tool that changes files or runs commands", () => {
  const changing = wholeTools.filter((tool) => canReach(tool, "files", "commands")).map(({ name }) => name);
  expect(changing.filter((name) => !CHANGING_TOOLS.includes(name))).toEqual([]);
});

it("an agent without `Patch` in its policy is denied every tool that changes files", () => {
  const changing = wholeTools.filter((tool) => canReach(tool, "files")).map(({ name }) => name);
  expect(FILE_CHANGING_TOOLS).toEqual(changing);
});

it("the dialects know which tools take a command or a path", () => {
  const named = builtinTools.filter(({ name }) => name in KNOWN_TOOLS);
  const commandOrPath = (kind: string | undefined) =>
    kind === "command" || kind === "path" ? kind : undefined;
  expect(named.map(({ name }) => [name, targetOf(name)])).toEqual(
    named.map(({ name, target }) => [name, commandOrPath(target?.kind)]),
  );
});

it.each([
  ["S0-32", "shell_command_execute", "Bash"],
  ["S0-33", "read_file", "Read"],
  ["S0-34", "write_file", "Write"],
  ["S0-35", "find_files", "Glob"],
  ["S0-36", "search_code", "Grep"],
  ["-", "bash", "Bash"],
  ["S1-30", "web_fetch", "WebFetch"],
  ["S1-30", "google_web_search", "WebSearch"],
  ["-", "unknown", "unknown"],
])("[%s] the alias %s means %s", (_, alias, name) => {
  expect(canonicalToolName(alias, builtinTools)).toBe(name);
  expect(canonicalRule(`${alias}(x *)`, builtinTools)).toBe(`${name}(x *)`);
  expect(canonicalRule(alias, builtinTools)).toBe(name);
});

it("each tool's input schema is accepted by providers, and is built only once", () => {
  for (const tool of builtinTools) {
    const schema = inputSchemaOf(tool);
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(schema).not.toHaveProperty("$schema");
    expect(inputSchemaOf(tool)).toBe(schema);
  }
  expect(inputSchemaOf(builtinTools[0]!)["required"]).toEqual(["path"]);
});
