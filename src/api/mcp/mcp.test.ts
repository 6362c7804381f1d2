// Tests Cadre as an MCP server with the official MCP client, through the public server and over real HTTP.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JournalEvent } from "../../journal/events.ts";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import {
  type Api,
  CLERK,
  eventsUntil,
  isEnd,
  payTool,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";
import { BUILT_PAGE, type PublicServer, startPublicServer } from "../server/public-server.ts";

const TOKEN = "a-token-that-is-long-enough-for-it";
const clerk: Script = ({ turn }) =>
  turn > 1 ? { report: { summary: "paid" } } : { calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };
const writer: Script = ({ task, lastUser }) => ({ text: `About ${task}: ${lastUser}` });
const lead: Script = ({ turn }) =>
  turn > 1
    ? { report: { summary: "done" } }
    : { calls: [{ tool: "delegate", input: { agent: "clerk", task: "pay" } }] };
const WRITER =
  "---\nname: writer\ndescription: Writes.\nmodel: scripted/writer\ntools: []\n---\nYou write.\n";

let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;
let server: PublicServer;
const book = payTool();

beforeAll(async () => {
  project = tempProject({
    "agents/clerk.md": CLERK,
    "agents/writer.md": WRITER,
    "agents/lead.md": CLERK.replaceAll("clerk", "lead").replace("tools: {", "agents: [clerk]\ntools: {"),
    "agents/helper.md": "---\nname: helper\nkind: subagent\ndescription: Helps.\n---\nYou help.\n",
  });
  const { folder } = project;
  runtime = await assembleRuntime({
    folder,
    home: folder,
    env: {},
    tools: [book.tool],
    scripts: { clerk, writer, lead },
  });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
  server = await startPublicServer(api.parts, {
    host: "127.0.0.1",
    port: 0,
    token: TOKEN,
    names: [],
    page: BUILT_PAGE,
  });
});
afterAll(async () => {
  await server.close();
  await api.close();
  await runtime.stop();
  project.remove();
});

async function connectClient(mode: "auto" | "legacy" = "auto") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const headers = { Authorization: `Bearer ${TOKEN}`, "X-Who": "ann" };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
type Answered = any;

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answered> {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
  if (isError) return (content as { text: string }[])[0]!.text;
  return structuredContent;
}

describe.each([
  ["auto", "2026-07-28"],
  ["legacy", "2025-11-25"],
] as const)("a client in %s mode, protocol version %s", (mode, version) => {
  test("[28.6] [S1-20] [S1-21] a spawn returns at once; with `awaitResult` it returns the result, and tells the client what happens", async () => {
    const client = await connectClient(mode);
    const args = { agentType: "writer", task: "cats" };
    const { runId, ...spawned } = await call(client, "spawn", args);
    expect(spawned).toMatchObject({ agentId: runId, status: "spawned" });
    expect(spawned).not.toHaveProperty("isOver");
    const told: (string | undefined)[] = [];
    const request = { name: "spawn", arguments: { ...args, awaitResult: true } };
    const { structuredContent } = await client.callTool(request, {
      onprogress: ({ message }) => told.push(message),
    });
    expect(structuredContent).toMatchObject({
      status: "completed",
      isOver: true,
      result: { summary: "About cats: cats" },
    });
    const { agentId } = structuredContent as { agentId: string };
    expect(told[0]).toBe(`RUN_STARTED in run ${agentId}`);
    expect(structuredContent).not.toHaveProperty("next");
  });

  test("[28.6] [S1-9] [S1-20] [S1-21] the client starts an agent, watches it, approves its call, and reads its result", async () => {
    const client = await connectClient(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      ...["spawn", "list_agents", "run_status", "run_events"],
      ...["approve", "reject", "answer", "cancel", "message"],
    ]);
    const spawned = await call(client, "spawn", { agentType: "clerk", task: "pay", awaitResult: true });
    const { runId } = spawned;
    // The call waits, but not for a person.
    expect(spawned).toMatchObject({
      agentId: runId,
      status: "suspended",
      isOver: false,
      progress: `cadre://runs/${runId}`,
      next: expect.stringContaining(`cadre://runs/${runId}`),
    });
    await waitForApprovals(api, runId);
    const waiting = await call(client, "run_status", { runId });
    expect(waiting).toMatchObject({
      status: "suspended",
      isOver: false,
      note: expect.stringMatching(/data/),
    });
    expect(waiting.needs).toMatchObject([{ kind: "tool", tool: "Pay", input: { to: "ann", amount: 5 } }]);

    const { approvalId } = waiting.needs[0];
    expect(await call(client, "approve", { approvalId })).toMatchObject({ alreadyDecided: false });
    expect(await call(client, "approve", { approvalId })).toMatchObject({ alreadyDecided: true });
    expect(await call(client, "reject", { approvalId })).toMatch(/^ALREADY_DECIDED: ann via MCP has decided/);
    const journal = await eventsUntil(api, runId, isEnd);
    expect(journal.find(({ type }) => type === "APPROVAL_DECIDED")?.payload).toMatchObject({
      by: "ann via MCP",
    });
    expect(journal[0]!.payload).toMatchObject({ userId: "ann" });
    const [resource] = (await client.readResource({ uri: spawned.progress })).contents;
    expect(JSON.parse((resource as { text: string }).text)).toMatchObject({
      isOver: true,
      status: "completed",
      result: { summary: "paid" },
      note: expect.stringMatching(/data/),
    });
    expect(await pagesOf(client, runId, 2)).toEqual(journal);
    await client.close();
  });
});

/** Reads all events of a run in small pages. */
async function pagesOf(client: Client, runId: string, limit: number): Promise<unknown[]> {
  const events: unknown[] = [];
  for (let after = 0, hasMore = true; hasMore; ) {
    const page = await call(client, "run_events", { runId, after, limit });
    events.push(...page.events);
    ({ nextAfter: after, hasMore } = page);
  }
  return events;
}

test("[S1-12] [S1-13] [S1-14] `spawn` passes the context, the model and the turn limit to the run", async () => {
  const client = await connectClient();
  const asks = {
    agentType: "clerk",
    task: "write",
    context: { to: "bob" },
    model: "scripted/writer",
    maxTurns: 3,
  };
  const { runId } = await call(client, "spawn", asks);
  const [{ payload: start }] = (await eventsUntil(api, runId, isEnd)) as [
    JournalEvent & { type: "RUN_STARTED" },
  ];
  expect(start).toMatchObject({ input: { to: "bob" }, limits: { maxTurns: 3 } });
  expect((await api.client.get("/api/runs/{id}/definition", { id: runId })).definition.models).toEqual([
    "scripted/writer",
  ]);
  expect(await call(client, "spawn", { ...asks, model: "scripted/nobody" })).toMatch(
    /^MODEL_UNKNOWN: .*Nothing was started\.$/,
  );
  await client.close();
});

test("[S1-16] [S1-19] `spawn` refuses a subagent with the sentence of contract S1, and an unknown agent with Cadre's own error", async () => {
  const client = await connectClient();
  expect(await call(client, "spawn", { agentType: "helper", task: "help" })).toMatch(
    /^PERMISSION_DENIED: an MCP client cannot spawn helper, .* It may spawn: .*clerk/,
  );
  expect(await call(client, "spawn", { agentType: "nobody", task: "help" })).toMatch(/^AGENT_NOT_FOUND: /);
  expect(await call(client, "run_status", { runId: "r-nowhere" })).toBe(
    "NOT_FOUND: There is no run r-nowhere. `cadre runs` lists the existing ones.",
  );
  expect(await call(client, "spawn", { agentType: "clerk", task: "pay", mode: "auto" })).toMatch(/mode/);
  await expect(client.readResource({ uri: "cadre://runs/r-nowhere" })).rejects.toMatchObject({
    message: expect.stringMatching(/not found/i),
  });
  const { agents } = await call(client, "list_agents");
  const agentNamed = (name: string) => agents.find((agent: { name: string }) => agent.name === name);
  expect([agentNamed("clerk").canBeSpawned, agentNamed("helper").canBeSpawned]).toEqual([true, false]);
  await client.close();
});

test("the journal records that a message, an answer and a cancellation came through MCP", async () => {
  const client = await connectClient();
  const { runId } = await call(client, "spawn", { agentType: "clerk", task: "pay" });
  await waitForApprovals(api, runId);
  await call(client, "message", { runId, text: "hurry" });
  expect(await call(client, "cancel", { runId, reason: "enough" })).toMatchObject({ cancelled: [runId] });
  const journal = await eventsUntil(api, runId, isEnd);
  expect(journal.find(({ type }) => type === "CONTEXT_ADDED")?.payload).toMatchObject({
    from: "ann via MCP",
  });
  expect(journal.find(({ type }) => type === "CANCEL_REQUESTED")?.payload).toMatchObject({
    by: "ann via MCP",
    reason: "enough",
  });
  expect(await call(client, "cancel", { runId })).toMatch(/^RUN_TERMINAL: /);
  await client.close();
});

test("a client that subscribes to one run is not notified of changes in other runs", async () => {
  const client = await connectClient();
  const { runId } = await call(client, "spawn", { agentType: "clerk", task: "pay" });
  await waitForApprovals(api, runId);
  const notified: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    notified.push(params.uri);
    resolve();
  });
  const listening = await client.listen({ resourceSubscriptions: [`cadre://runs/${runId}`] });
  const other = await call(client, "spawn", { agentType: "writer", task: "write" });
  await eventsUntil(api, other.runId, isEnd);
  expect(notified).toEqual([]);
  await call(client, "reject", { approvalId: `${runId}:m1.0` });
  await promise;
  expect(new Set(notified)).toEqual(new Set([`cadre://runs/${runId}`]));
  await listening.close();
  await client.close();
});

test("a client that subscribes to a run's events is also notified of events in descendant runs; the server announces no list changes", async () => {
  const client = await connectClient();
  expect(client.getServerCapabilities()).toMatchObject({
    resources: { subscribe: true, listChanged: false },
    tools: { listChanged: false },
  });
  const { runId } = await call(client, "spawn", { agentType: "lead", task: "have it paid" });
  await eventsUntil(
    api,
    runId,
    ({ type, payload }) => type === "RUN_SUSPENDED" && payload.blockers !== undefined,
  );
  const [item] = (await api.client.get("/api/approvals", { run: runId })).approvals;
  const notified = new Set<string>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const uris = [`cadre://runs/${runId}/events`, `cadre://runs/${item!.runId}/events`];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    notified.add(params.uri);
    if (notified.size === uris.length) resolve();
  });
  const listening = await client.listen({ resourceSubscriptions: uris });
  await call(client, "message", { runId: item!.runId, text: "be quick" });
  await promise;
  expect([...notified].sort()).toEqual(uris.sort());
  await listening.close();
  await api.client.post("/api/runs/{id}/cancel", { id: runId });
  await client.close();
});

test("invalid JSON is answered with a parse error", async () => {
  const post = (body: string) =>
    fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
      body,
    });
  expect(await (await post("{no")).json()).toMatchObject({ id: null, error: { code: -32700 } });
  expect(await (await post("{}")).json()).toMatchObject({ id: null, error: { code: -32600 } });
});

test("[A03] [A14] [A15] MCP requests pass the same access checks and size limit as the rest of the API", async () => {
  const post = (headers: Record<string, string>, body: string) =>
    fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    });
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  const token = { Authorization: `Bearer ${TOKEN}` };
  expect((await post({}, list)).status).toBe(401);
  expect((await post({ ...token, Origin: "https://evil.test" }, list)).status).toBe(403);
  expect((await post(token, list)).status).toBe(200);
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${"[".repeat(200)}${"]".repeat(200)}}`;
  const refused = await post(token, deep);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
  expect((await fetch(`${server.url}/mcp`, { headers: token })).status).toBe(405);
});
