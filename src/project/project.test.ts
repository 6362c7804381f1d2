import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openProject } from "./project.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cadre-project-"));
  mkdirSync(join(folder, "agents"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function offeredTo(tools: string, env: Record<string, string> = {}): Promise<string[]> {
  writeFileSync(join(folder, "agents", "clerk.md"), `---\ndescription: Works.\n${tools}\n---\nWork.\n`);
  writeFileSync(join(folder, "cadre.yaml"), "loki: { url: 'http://127.0.0.1:3100' }\n");
  const project = openProject({ folder, env, home: folder });
  return project.offeredTools(await project.find("clerk")).map(({ name }) => name);
}

test("a tool that is not configured is offered only to agents that name it", async () => {
  const FILES = [
    "Read",
    "Write",
    "Edit",
    "Glob",
    "Grep",
    "LS",
    "Bash",
    "BashOutput",
    "BashInput",
    "TodoWrite",
    "WebFetch",
  ];
  expect(await offeredTo("")).toEqual(FILES);
  expect(await offeredTo('tools: ["*"]')).toEqual(FILES);
  expect(await offeredTo("tools: [Read, loki_query]")).toEqual(["Read", "loki_query"]);
});

test("[A53] only a trusted folder can configure Loki", async () => {
  expect(await offeredTo("", { CADRE_TRUST: "1" })).toContain("loki_query");
  expect(await offeredTo("")).not.toContain("loki_query");
});

test("[25.4] an agent of Claude Code without `tools` may use every MCP server of the trusted project", async () => {
  const servers = { stock: { command: "stock-server" }, old: { command: "old-server" } };
  mkdirSync(join(folder, ".claude/agents"), { recursive: true });
  writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  writeFileSync(join(folder, ".claude/settings.json"), `{"disabledMcpjsonServers": ["old"]}`);
  writeFileSync(join(folder, ".claude/agents/open.md"), "---\nname: open\ndescription: d\n---\nWork.\n");
  writeFileSync(
    join(folder, ".claude/agents/bound.md"),
    "---\nname: bound\ndescription: d\ntools: Read\n---\nWork.\n",
  );
  writeFileSync(join(folder, "agents/own.md"), "---\ndescription: d\n---\nWork.\n");
  const find = async (name: string, env = {}) =>
    (await openProject({ folder, env, home: folder }).find(name)).mcpServers;
  const trusted = { CADRE_TRUST: "1" };
  expect(await find("open", trusted)).toEqual(["stock"]);
  expect(await find("bound", trusted)).toBeUndefined();
  expect(await find("own", trusted)).toBeUndefined();
  expect(await find("open")).toBeUndefined();
});
