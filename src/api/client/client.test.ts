// Tests the client over a real socket. The server's answers must match the client's types.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
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
import { isUnreachable } from "./client.ts";
import type { FeedItem } from "./stream-events.ts";

const clerk: Script = ({ turn }) =>
  turn > 1 ? { text: "done" } : { calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };
const talker: Script = ({ lastUser }) => ({ text: `You said: ${lastUser}` });

let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;

beforeAll(async () => {
  project = tempProject({
    "agents/clerk.md": CLERK,
    "agents/talker.md":
      "---\nname: talker\ndescription: Talks.\nmodel: scripted/talker\ntools: []\nagents: [clerk]\n---\nYou talk.\n",
    "src/a.ts": "",
  });
  const { folder } = project;
  const tools = [payTool().tool];
  runtime = await assembleRuntime({ folder, home: folder, env: {}, tools, scripts: { clerk, talker } });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
});
afterAll(async () => {
  await api.close();
  await runtime.stop();
  project.remove();
});

test("[S2-77] [S4-4] a message sent twice with the same key reaches the session once, and the session is listed", async () => {
  const { client } = api;
  const first = await client.post("/api/sessions/{id}/messages", {
    id: "s/1",
    body: { agent: "talker", text: "hello" },
    idempotencyKey: "k1",
  });
  expect(first).toEqual({ runId: expect.any(String), joined: false });
  expect(
    await client.post("/api/sessions/{id}/messages", {
      id: "s/1",
      body: { agent: "talker", text: "hello" },
      idempotencyKey: "k1",
    }),
  ).toEqual(first);
  await eventsUntil(api, first.runId, isEnd);
  const second = await client.post("/api/sessions/{id}/messages", { id: "s/1", body: { text: "and again" } });
  await eventsUntil(api, second.runId, isEnd);
  expect(await client.get("/api/sessions", { limit: 1 })).toMatchObject({
    sessions: [{ id: "s/1", runs: 2, last: { id: second.runId, agent: "talker" } }],
  });
  const { messages } = await client.get("/api/messages", { session: "s/1" });
  expect(messages.map((row) => row.response_content)).toEqual(
    expect.arrayContaining(["You said: hello", "You said: and again"]),
  );
});

test("the server stores a changed setting and leaves the other settings as they were", async () => {
  const { client } = api;
  expect(await client.post("/api/settings", { body: { agent: "talker" } })).toMatchObject({
    agent: "talker",
    mode: "chat",
  });
  expect(await client.post("/api/settings", { body: { mode: "auto" } })).toMatchObject({
    agent: "talker",
    mode: "auto",
  });
  expect(await client.get("/api/settings")).toMatchObject({ agent: "talker", mode: "auto" });
  await expect(client.post("/api/settings", { body: { agent: "nobody" } })).rejects.toMatchObject({
    code: "AGENT_NOT_FOUND",
  });
});

test("the client reads one agent with its definition and explanation, and reloads all agents", async () => {
  const { client } = api;
  const { definition } = await client.get("/api/agents/{name}", { name: "talker" });
  expect(definition).toMatchObject({ name: "talker", agents: ["clerk"], prompt: expect.any(String) });
  const { reachable, worstCase } = await client.get("/api/agents/{name}/explain", { name: "talker" });
  expect(reachable.map(({ agent, ways }) => [agent, ways[0]?.path])).toEqual([
    ["clerk", [{ key: "agents", to: "clerk" }]],
  ]);
  expect(worstCase.runs).toBeGreaterThan(1);
  writeFileSync(join(project.folder, "agents", "bad.md"), "no front matter");
  const { agents, problems } = await client.post("/api/agents/reload");
  expect(agents.map(({ name }) => name)).toContain("talker");
  expect([...agents.flatMap((each) => each.problems), ...problems].map(({ file }) => file)).toContainEqual(
    expect.stringContaining("bad.md"),
  );
});

test("the client lists all files of the workspace, or the files of one folder", async () => {
  const { client } = api;
  const names = (await client.get("/api/workspace/tree")).entries.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["agents", "src"]));
  expect(await client.get("/api/workspace/tree", { path: "src" })).toMatchObject({
    entries: [{ name: "a.ts", kind: "file" }],
  });
});

test("the client reads one approval, pages of events, and a summary of the context", async () => {
  const { client } = api;
  const { runId } = await client.post("/api/runs", { body: { agent: "clerk", task: "pay ann" } });
  const [item] = await waitForApprovals(api, runId);
  expect(await client.get("/api/approvals/{id}", { id: item!.id })).toEqual(item);
  await client.post("/api/approvals/{id}", { id: item!.id, body: { decision: "approve" } });
  await eventsUntil(api, runId, isEnd);
  await expect(client.get("/api/approvals/{id}", { id: item!.id })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });

  const all = await client.events(runId);
  const { events, nextAfter } = await client.get("/api/runs/{id}/events", { id: runId, tree: true });
  expect(events).toEqual(all);
  expect(nextAfter).toBe(all.at(-1)!.position);
  expect(await client.get("/api/runs/{id}/events", { id: runId, after: all[1]!.position })).toMatchObject({
    events: all.slice(2),
  });
  expect(await client.get("/api/runs/{id}/events", { id: runId, after: nextAfter! })).toEqual({ events: [] });

  const { messages } = await client.get("/api/runs/{id}/context", { id: runId, view: "summary" });
  expect(messages).toHaveLength((await client.transcript(runId)).messages.length);
  expect(messages[0]).toEqual({ role: "user", summary: "pay ann" });
});

test("[F46] a feed that continues from a position neither misses nor repeats a message", async () => {
  const before = await runtime.store.journal.position();
  const { runId } = await api.client.post("/api/runs", { body: { agent: "talker", task: "hello" } });
  const whole = await readFeed(before, runId);
  const sequenced = whole.filter(({ seq }) => seq !== undefined);
  expect(sequenced.map(({ type }) => type)).toEqual(expect.arrayContaining(["StateUpdated", "Outcome"]));

  const half = whole.findIndex(({ after }) => after !== undefined && after > before + 1);
  const rest = await readFeed(whole[half]!.after!, runId);
  const seqs = [...whole.slice(0, half + 1), ...rest].flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
  expect(seqs).toEqual(sequenced.map(({ seq }) => seq));
});

test("a feed with an unknown position begins with a reset; a feed that loses its connection throws an error", async () => {
  const stop = new AbortController();
  const feed = api.client.feed({ after: 999_999, signal: stop.signal });
  expect((await feed.next()).value).toEqual({ type: "reset" });
  const next = feed.next();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });

  const elsewhere = tempProject({});
  const other = await serveRuntime(runtime, elsewhere.folder);
  const lost = other.client.feed({ signal: new AbortController().signal });
  const waiting = lost.next().catch((error: unknown) => error);
  await expect.poll(() => other.listeners.commits).toBe(1);
  await other.close();
  elsewhere.remove();
  expect(isUnreachable(await waiting)).toBe(true);
});

/** Reads the feed's messages about a run, from a position to the run's outcome. */
async function readFeed(after: number, runId: string) {
  const stop = new AbortController();
  const heard: { type: string; seq: number | undefined; after: number | undefined }[] = [];
  for await (const item of api.client.feed({ after, signal: stop.signal })) {
    const { live, after: place } = item as Extract<FeedItem, { type: "live" }>;
    heard.push({ type: live.type, seq: live.seq, after: place });
    if (live.type === "Outcome" && live.run_id === runId) break;
  }
  return heard;
}
