// Tests `cadre mcp`, started as an MCP client would start it: as a separate process, over stdin and stdout.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Project, project } from "../cli.fixture.ts";

const ROOT = join(import.meta.dirname, "../../..");
const INSPECTOR = join(ROOT, "node_modules/.bin/mcp-inspector");

const CLERK = "---\ndescription: Pays.\nmodel: scripted/desk\ntools: [Bash]\n---\nYou pay.\n";
const DESK = `turns:
  - { when: { turn: 1 }, calls: [{ tool: Bash, input: { command: echo paid >> paid.txt } }] }
  - { report: { summary: Paid. } }
`;

let p: Project;
beforeEach(async () => {
  p = await project({ "agents/clerk.md": CLERK, "desk.script.yaml": DESK });
});
afterEach(() => p[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
type Answered = any;

async function connectClient(mode: "auto" | "legacy") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const { folder: cwd, env, launcher } = p;
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [launcher, "mcp"],
      cwd,
      env,
      stderr: "pipe",
    }),
  );
  return {
    client,
    call: async (name: string, args: Record<string, unknown>): Promise<Answered> =>
      (await client.callTool({ name, arguments: args })).structuredContent,
    /** Subscribes to a resource, and calls `until` now and after each notification. Resolves when `until` returns true. */
    watch: async (uri: string, until: () => Promise<boolean>): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = async (): Promise<void> => {
        if (await until()) resolve();
      };
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        if (params.uri === uri) return look();
      });
      if (mode === "legacy") await client.subscribeResource({ uri });
      else await client.listen({ resourceSubscriptions: [uri] });
      await look();
      await promise;
    },
  };
}

test.each(["auto", "legacy"] as const)(
  "[E1] if no other process is running, `cadre mcp` owns the store and drives a run to its end (protocol %s)",
  async (mode) => {
    const { client, call, watch } = await connectClient(mode);
    const { runId, progress } = await call("spawn", { agentType: "clerk", task: "pay" });
    const status = () => call("run_status", { runId });
    await watch(`${progress}/events`, async () => (await status()).needs.length > 0);
    if (mode === "legacy")
      await expect(client.subscribeResource({ uri: "cadre://agents" })).rejects.toMatchObject({
        code: -32602,
      });
    const [{ approvalId }] = (await status()).needs;
    await call("approve", { approvalId });
    await watch(progress, async () => (await status()).isOver);
    expect(await status()).toMatchObject({ status: "completed", result: { summary: "Paid." } });
    await client.close();
    const shown = await p.cadre("show", runId, "--events", "--json");
    expect(shown.stdout).toMatch(/"by":"[^"]+ via MCP"/);
  },
);

test("[E1] while `cadre up` is running, `cadre mcp` is its client: both show the same runs, and nothing is started twice", async () => {
  const server = p.start("up", "--port", "0", "--no-open", "--json");
  await server.shows(/^\{.*"url".*\}$/m);
  const { client, call } = await connectClient("auto");
  const { runId } = await call("spawn", { agentType: "clerk", task: "pay" });
  const { lines } = await p.cadre("runs", "--json");
  expect(lines().map(({ id }) => id)).toEqual([runId]);
  await client.close();
  expect(server.process.exitCode).toBeNull();
});

test("mcp-inspector can call a tool of `cadre mcp`", async () => {
  const args = ["--cli", process.execPath, p.launcher, "mcp", "--method", "tools/call"];
  const asks = ["--tool-name", "spawn", "--tool-arg", "agentType=clerk", "--tool-arg", "task=pay"];
  const { stdout } = await promisify(execFile)(INSPECTOR, [...args, ...asks], { cwd: p.folder, env: p.env });
  expect(JSON.parse(stdout).structuredContent).toMatchObject({ status: "spawned" });
});
