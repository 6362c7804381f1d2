// Tests MCP servers that a program declares, with real servers.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { dynamicTool, jsonSchema } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { createCadre, defineAgent, type McpServerOptions } from "../index.ts";
import { scriptedModel } from "../testing.ts";

const SERVERS = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol");
const entities = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cadre-servers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

const memory = (file: string): { command: string; args: string[]; env: Record<string, string> } => ({
  command: process.execPath,
  args: [join(SERVERS, "server-memory/dist/index.js")],
  env: { MEMORY_FILE_PATH: file },
});

async function open(
  folder: string,
  mcpServers: Record<string, McpServerOptions>,
  agent: ReturnType<typeof defineAgent>,
) {
  const project = join(folder, "project");
  mkdirSync(project, { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: join(folder, "home") };
  const problems: string[] = [];
  const onProblem = ({ message, error }: { message: string; error: unknown }): void => {
    problems.push(message, String(error));
  };
  const options = { folder: project, store: ":memory:", agents: [agent], env, onProblem };
  const cadre = await createCadre({ ...options, mcpServers });
  onTestFinished(() => cadre.close());
  return { cadre, problems, project };
}

const librarian = (tool: string) =>
  defineAgent({
    name: "librarian",
    prompt: "Remember.",
    mcpServers: ["memory"],
    model: scriptedModel(({ turn, lastResult = "" }) =>
      turn === 1 ? { calls: [{ tool, input: { entities } }] } : { text: lastResult },
    ),
  });

test("[27.2] an agent uses an MCP server that the program declares; its calls ask, and its answers are marked", async () => {
  const folder = newFolder();
  // The folder is not trusted. The server is used because the program's code declares it.
  const agent = librarian("mcp__memory__create_entities");
  const { cadre, problems } = await open(folder, { memory: memory(join(folder, "memory.jsonl")) }, agent);
  const asked: unknown[] = [];
  const run = cadre.run(agent, "Ada likes tea").onApproval((request) => {
    asked.push(request.tool);
    return request.approve();
  });
  expect((await run).text).toMatch(/<untrusted-[\s\S]*likes tea/);
  expect(asked).toEqual(["mcp__memory__create_entities"]);
  expect(problems).toEqual([]);
});

test("[27.2] a program can declare a server differently later; a changed script of the project needs a person", async () => {
  const folder = newFolder();
  const agent = librarian("mcp__memory__create_entities");
  const answer = async (server: McpServerOptions) => {
    const { cadre, problems } = await open(folder, { memory: server }, agent);
    const { text } = await cadre.run(agent, "Ada likes tea").onApproval((request) => request.approve());
    await cadre.close();
    return { text, problems: problems.join("\n") };
  };
  const before = await answer(memory(join(folder, "before.jsonl")));
  const real = memory(join(folder, "after.jsonl"));
  mkdirSync(join(folder, "project"), { recursive: true });
  writeFileSync(join(folder, "project/start.mjs"), `await import(${JSON.stringify(real.args[0])});`);
  const declared = { ...real, args: ["start.mjs"] };
  const after = await answer(declared);
  for (const { text, problems } of [before, after]) {
    expect(text).toContain("likes tea");
    expect(problems).toBe("");
  }

  writeFileSync(join(folder, "project/start.mjs"), "process.exit(3);");
  const changed = await answer(declared);
  expect(changed.text).not.toContain("likes tea");
  expect(changed.problems).toMatch(
    /not what was approved; a person can check it, and then delete its pin, \//,
  );
});

test.each<[string, Record<string, McpServerOptions>, RegExp]>([
  ["has a name that is taken", { cadre: { command: "x" } }, /that name is taken by Cadre itself/],
  ["has a name like another", { my_git: { command: "x" }, "my-git": { command: "x" } }, /nearly the same/],
  ["has neither command nor url", { git: {} }, /command/],
  ["has a wrong key", { git: { command: "x", readOnly: [""] } }, /`readOnly\.0`/],
])("[27.2] a server that %s is refused when Cadre is opened", async (_what, mcpServers, reason) => {
  await expect(createCadre({ folder: newFolder(), store: ":memory:", mcpServers })).rejects.toThrow(reason);
});

test("[27.2] the tools of an MCP client of the AI SDK work as they are", async () => {
  const folder = newFolder();
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport(memory(join(folder, "memory.jsonl"))));
  onTestFinished(() => client.close());
  // `createMCPClient` of @ai-sdk/mcp makes the same objects.
  const tools = Object.fromEntries(
    (await client.listTools()).tools.map(({ name, description, inputSchema }) => [
      name,
      dynamicTool({
        ...(description === undefined ? {} : { description }),
        inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
        execute: (input) => client.callTool({ name, arguments: input as Record<string, unknown> }),
      }),
    ]),
  );
  const agent = defineAgent({
    name: "librarian",
    prompt: "Remember.",
    tools,
    model: scriptedModel(({ turn, lastResult = "" }) =>
      turn === 1 ? { calls: [{ tool: "create_entities", input: { entities } }] } : { text: lastResult },
    ),
  });
  const { cadre } = await open(folder, {}, agent);
  const run = cadre.run(agent, "Ada likes tea").onApproval((request) => request.approve());
  expect((await run).text).toContain("likes tea");
});
