import { expect, it } from "vitest";
import { builtinTools } from "./index.ts";
import { inputSchemaOf } from "./input-schema.ts";
import { canonicalRule, canonicalToolName } from "./tool-names.ts";

it("every name and alias belongs to one tool", () => {
  const names = builtinTools.flatMap((tool) => [tool.name.toLowerCase(), ...(tool.aliases ?? [])]);
  expect(new Set(names).size).toBe(names.length);
  expect(builtinTools.map((tool) => [tool.name, tool.effect])).toEqual([
    ["Read", "read"],
    ["Write", "idempotent"],
    ["Edit", "idempotent"],
    ["Glob", "read"],
    ["Grep", "read"],
    ["LS", "read"],
    ["Bash", "unsafe"],
    ["TodoWrite", "read"],
    ["loki_query", "read"],
    ["loki_labels", "read"],
    ["loki_service_errors", "read"],
    ["restart_service", "unsafe"],
    ["WebFetch", "read"],
    ["WebSearch", "read"],
  ]);
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
])("[%s] %s is %s", (_, alias, name) => {
  expect(canonicalToolName(alias, builtinTools)).toBe(name);
  expect(canonicalRule(`${alias}(x *)`, builtinTools)).toBe(`${name}(x *)`);
  expect(canonicalRule(alias, builtinTools)).toBe(name);
});

it("gives each tool a schema that providers take, made once", () => {
  for (const tool of builtinTools) {
    const schema = inputSchemaOf(tool);
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(schema).not.toHaveProperty("$schema");
    expect(inputSchemaOf(tool)).toBe(schema);
  }
  expect(inputSchemaOf(builtinTools[0]!)["required"]).toEqual(["path"]);
});
