// Tests with real agent files written by other people. The variable CADRE_CORPUS is the path of a folder with these files and a manifest.json.
// If the variable is not set, the tests are skipped, and a message says so.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { builtinTools } from "../tools/index.ts";
import type { AgentEnvironment } from "./agent.ts";
import { compileAgent } from "./compile/compile-agent.ts";
import { isDataFile } from "./files/data-file.ts";
import { parseAgent } from "./files/parse.ts";
import { readAgentFile } from "./files/read.ts";
import { type FileReport, validateFiles } from "./validate-files.ts";

const corpus = process.env["CADRE_CORPUS"];
if (!corpus) console.log("CADRE_CORPUS is not set: the files of strangers are not tested");

const known: AgentEnvironment = {
  models: { default: "scripted/rehearsal", resolve: (name) => ({ model: name }) },
  toolNames: builtinTools.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
};

describe.skipIf(!corpus)("the corpus", () => {
  const folder = corpus ?? "";
  let files: string[];
  let reports: FileReport[];

  beforeAll(async () => {
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as { file: string }[];
    files = manifest.map(({ file }) => join(folder, file));
    reports = await validateFiles(files, known);
  });

  test("every file of the corpus is loaded, loaded with warnings, or skipped with a reason", () => {
    expect(reports.map(({ file }) => file)).toEqual([...files].sort());
    for (const { file, name, status, problems } of reports) {
      if (status === "skipped") expect(problems.length, file).toBeGreaterThan(0);
      else expect(name, file).toMatch(/\S/);
      for (const { line, column } of problems) expect(Math.min(line, column), file).toBeGreaterThan(0);
    }
  });

  test("only files without front matter are skipped", () => {
    const reasons = reports.filter(({ status }) => status === "skipped").flatMap(({ problems }) => problems);
    expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(["NO_FRONTMATTER"]));
  });

  test("invalid YAML in front matter is repaired, and the description is kept", () => {
    const repaired = files
      .map((file) => parseAgent(readFileSync(file, "utf8"), file))
      .filter(({ problems }) => problems.some(({ code }) => code === "YAML_REPAIRED"));
    expect(repaired.length).toBeGreaterThan(0);
    for (const { frontmatter, file } of repaired) {
      expect(frontmatter, file).toMatchObject({ description: expect.any(String), name: expect.any(String) });
    }
  });

  test("loading the same files again gives the same problems", async () => {
    expect(await validateFiles([...files].reverse(), known)).toEqual(reports);
  });

  test("no agent gets a tool that its file does not name", async () => {
    let gates = 0;
    for (const path of files) {
      const place = { path: dirname(path), scope: "project", packs: false, root: dirname(path) } as const;
      const { drafts } = await readAgentFile(path, { ...place, display: () => path }, path);
      const { frontmatter } = parseAgent(readFileSync(path, "utf8"), path);
      const named = TOOL_KEYS.map((key) => frontmatter[key] ?? "");
      const said = JSON.stringify(isDataFile(path) ? frontmatter : named);
      for (const { definition } of drafts.map((draft) => compileAgent(draft, known))) {
        const allow = definition?.tools.allow;
        if (definition && isGate(frontmatter["tools"])) expect(allow, path).toBeDefined();
        for (const tool of allow ?? []) expect(said.replaceAll(/[-_.]/g, ""), path).toMatch(namedBy(tool));
        gates += allow ? 1 : 0;
      }
    }
    expect(gates).toBeGreaterThan(0);
  });
});

const TOOL_KEYS = ["tools", "allowedTools", "allowed-tools", "groups", "permission", "permissions"];

/** True if the value lists single tools, and no entry means all tools. */
const isGate = (tools: unknown): boolean =>
  (typeof tools === "string" && !/\*|all/i.test(tools)) ||
  (Array.isArray(tools) && !tools.some((tool) => /^(\*|all)$/.test(String(tool))));

/** A pattern that matches the names of this tool in all products. */
function namedBy(tool: string): RegExp {
  const [, server] = /^mcp__(.+?)__/.exec(tool) ?? [];
  if (/^mcp_*\*/.test(tool)) return /mcp/i;
  if (server !== undefined) return new RegExp(RegExp.escape(server.replaceAll(/[-_.]/g, "")), "i");
  // Two tools of VS Code are translated to rules for a few commands.
  if (tool.startsWith("Bash(")) return /bash|shell|exec|command|terminal|changes|runTests/i;
  const name = tool.replace(/\(.*/, "");
  return WORDS[name] ?? new RegExp(RegExp.escape(name.replaceAll(/[-_.]/g, "")), "i");
}

const WORDS: Readonly<Record<string, RegExp>> = {
  Bash: /bash|shell|exec|command|terminal/i,
  Write: /write|edit|create/i,
  Edit: /edit|replace|patch|diff/i,
  Read: /read/i,
  Grep: /grep|search|codebase|usages|read/i,
  Glob: /glob|find|search|list|read/i,
  LS: /ls|list|dir|read|search/i,
  WebFetch: /web|fetch|url|browser/i,
  WebSearch: /web|search|google|browser/i,
  TodoWrite: /todo|task/i,
  AskUser: /ask|question/i,
};
