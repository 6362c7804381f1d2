// The repository contains a JSON Schema of the keys for editors. This test compares the schema with the code.
// If you change the keys, run UPDATE_SCHEMA=1 npx vitest run src/agents/frontmatter.test.ts, then npm run format.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { Names } from "../config/names.ts";
import { KNOWN_KEYS } from "./files/known-keys.ts";
import { AGENT_KEYS, frontmatterSchema, KEY_ALIASES } from "./frontmatter.ts";

const file = join(import.meta.dirname, "../../schemas/agent.schema.json");

test("schemas/agent.schema.json matches the frontmatter keys", () => {
  const schema = frontmatterSchema();
  if (process.env["UPDATE_SCHEMA"]) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
  }
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(schema)));
});

test("every front matter key has a description, and a Cadre file matches the schema", () => {
  const { $schema, properties } = frontmatterSchema() as {
    $schema: string;
    properties: Record<string, { description?: string }>;
  };
  expect($schema).toContain("2020-12");
  for (const key of Object.keys(AGENT_KEYS)) expect(properties[key]?.description, key).toMatch(/\w/);
  const check = z.fromJSONSchema(frontmatterSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  expect(
    check.safeParse({ name: "a", tools: ["Read"], bestOf: 3, router: { destinations: "a, b" } }).success,
  ).toBe(true);
  expect(check.safeParse({ kind: "boss" }).success).toBe(false);
  expect(check.safeParse({ delegation: { mode: "fast" } }).success).toBe(false);
});

test("every Cadre key is recognised even in broken YAML", () => {
  const ours = [...Object.keys(AGENT_KEYS), ...Object.keys(KEY_ALIASES)];
  expect(ours.filter((key) => !KNOWN_KEYS.has(key))).toEqual([]);
});

test.each([
  ["Read, Bash(git log, git diff) ,", ["Read", "Bash(git log, git diff)"]],
  ["Bash(a(b, c), d), Read", ["Bash(a(b, c), d)", "Read"]],
  ["a), b", ["a)", "b"]],
  ["", []],
  [",".repeat(60_000), []],
])("a list of tool names is split at commas: %.40s", (text, names) => {
  expect(Names.parse(text)).toEqual(names);
});

test("a list of hundreds of tools is rejected", () => {
  expect(Names.safeParse("a,".repeat(500)).success).toBe(true);
  expect(Names.safeParse("a,".repeat(501)).success).toBe(false);
});
