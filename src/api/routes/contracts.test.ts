// Tests the contracts S0 and S4, route by route.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import {
  type Api,
  eventsUntil,
  isEnd,
  payTool,
  sendRequest,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";

const AGENTS = {
  "cadre.yaml": "approvals: { timeout: 1h }\n",
  "agents/orchestrator.md":
    "---\nname: orchestrator\ndescription: Delegates.\nmodel: scripted/chief\ntools: []\ndelegates: [clerk]\n---\nYou delegate.\n",
  "agents/clerk.md":
    "---\nname: clerk\ndescription: Pays.\nmodel: scripted/clerk\ntools: { allow: [Pay], ask: [Pay] }\n---\nYou pay.\n",
  "agents/cashier.md":
    "---\nname: cashier\ndescription: Notes.\nmodel: scripted/cashier\ntools: [Bash]\n---\nYou note it down.\n",
  "agents/locked.md":
    "---\nname: locked\ndescription: Fails.\nmodel: scripted/locked\ntools: []\n---\nYou fail.\n",
  "agents/talker.md":
    "---\nname: talker\ndescription: Talks.\nmodel: scripted/talker\ntools: []\n---\nYou talk.\n",
};
const chief: Script = ({ turn }) =>
  turn > 1 ? { text: "all done" } : { calls: [{ tool: "run_clerk_agent", input: { task: "pay ann" } }] };
const clerk: Script = ({ turn }) =>
  turn > 1 ? { report: { summary: "paid" } } : { calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };
const cashier: Script = ({ turn }) =>
  turn > 1 ? { text: "noted" } : { calls: [{ tool: "Bash", input: { command: "touch noted" } }] };
const locked: Script = () => ({ error: { status: 401, message: "no key" } });
const talker: Script = ({ lastUser }) => ({ text: `You said: ${lastUser}` });

const book = payTool();
let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;

beforeAll(async () => {
  project = tempProject(AGENTS);
  const { folder } = project;
  runtime = await assembleRuntime({
    folder,
    home: folder,
    env: {},
    tools: [book.tool],
    scripts: { chief, clerk, cashier, talker, locked },
  });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
});
afterAll(async () => {
  await api.close();
  await runtime.stop();
  project.remove();
});

const waitForEnd = (runId: string) =>
  eventsUntil(api, runId, (event) => event.runId === runId && isEnd(event));

/** Waits until a child blocks its parent, and returns the child's open items. */
async function waitForBlockingItems(runId: string) {
  await eventsUntil(
    api,
    runId,
    (event) => event.type === "RUN_SUSPENDED" && event.payload.waitingOn.kind === "child_hitl",
  );
  return api.client.get("/api/approvals", { run: runId }).then(({ approvals }) => approvals);
}

describe("the routes of contract S0", () => {
  test("[S0-69] [S0-73] POST /runs starts the orchestrator and answers immediately", async () => {
    const { status, body } = await sendRequest(api, "POST", "/runs", { prompt: "Pay ann" });
    expect({ status, body }).toEqual({ status: 201, body: { runId: expect.any(String) } });
    const run = (await sendRequest(api, "GET", `/runs/${body.runId}`)).body;
    expect(run).toMatchObject({ agent_type: "orchestrator", prompt: "Pay ann", user_id: "maria" });
  });

  test("[S0-69] POST /runs starts the pack's agent if the project has no agent with that name", async () => {
    const { status, body } = await sendRequest(api, "POST", "/runs", {
      prompt: "Look",
      agentType: "log-analyzer",
    });
    expect(status).toBe(201);
    expect((await api.client.get("/api/runs/{id}", { id: body.runId })).agent).toBe("ops/log-analyzer");
    expect((await sendRequest(api, "GET", `/runs/${body.runId}`)).body.agent_type).toBe("log-analyzer");
    await api.client.post("/api/runs/{id}/cancel", { id: body.runId }).catch(() => {});
  });

  test("[S0-70] POST /runs rejects an unknown agent type", async () => {
    const answer = await sendRequest(api, "POST", "/runs", { prompt: "x", agentType: "wizard" });
    expect(answer).toEqual({ status: 400, body: { error: "Invalid agent type" } });
  });

  test("[28.3] [S0-70] POST /runs starts no built-in agent, and knows no pack's name", async () => {
    for (const agentType of ["assistant", "explorer", "ops/coding"]) {
      const answer = await sendRequest(api, "POST", "/runs", { prompt: "x", agentType });
      expect(answer).toEqual({ status: 400, body: { error: "Invalid agent type" } });
    }
  });

  test("[28.3] [S0-22] TOOL_PROPOSED has the name and the input that the model wrote, also for a reader that continues there", async () => {
    const { runId } = (await sendRequest(api, "POST", "/runs", { prompt: "Pay ann" })).body;
    const [item] = await waitForBlockingItems(runId);
    const { events } = (await sendRequest(api, "GET", `/runs/${runId}/events`)).body;
    const proposal = events.find((row: { event_type: string }) => row.event_type === "TOOL_PROPOSED");
    expect(proposal.payload).toMatchObject({ name: "run_clerk_agent", input: { task: "pay ann" } });
    await sendRequest(api, "POST", `/runs/${item!.runId}/resume`, { decision: "rejected" });
    await waitForEnd(runId);
    const stream = await api.fetch(`http://cadre/runs/${runId}/events`, {
      headers: { Accept: "text/event-stream", "Last-Event-ID": `${runtime.store.id}.${proposal.id - 1}` },
    });
    expect(await stream.text()).toContain(`data: ${JSON.stringify(proposal)}\n`);
  });

  test("[28.3] [S0-27] a call that the provider refuses is a SYSTEM_ERROR, and the run fails", async () => {
    const { runId } = (await sendRequest(api, "POST", "/runs", { prompt: "Hi", agentType: "locked" })).body;
    await waitForEnd(runId);
    const { events } = (await sendRequest(api, "GET", `/runs/${runId}/events`)).body;
    expect(events.at(-2)).toMatchObject({
      event_type: "SYSTEM_ERROR",
      payload: { code: "auth", message: expect.stringContaining("refused the API key") },
    });
    expect((await sendRequest(api, "GET", `/runs/${runId}`)).body.status).toBe("failed");
  });

  test.each([
    ["no prompt", {}],
    ["an empty prompt", { prompt: "  " }],
    ["an unknown key", { prompt: "x", role: "admin" }],
  ])("POST /runs rejects a body with %s in one sentence", async (_, body) => {
    const answer = await sendRequest(api, "POST", "/runs", body);
    expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(/Nothing was changed\.$/) } });
  });

  test("[S0-72] [S0-61] a decision sent to a blocked parent reaches the child that blocks it", async () => {
    const before = book.paid.length;
    const { runId } = (await sendRequest(api, "POST", "/runs", { prompt: "Pay ann" })).body;
    const [item] = await waitForBlockingItems(runId);
    const child = (await sendRequest(api, "GET", `/runs/${item!.runId}`)).body;
    expect(child).toMatchObject({ parent_run_id: runId, status: "suspended", agent_type: "clerk" });
    expect((await sendRequest(api, "GET", `/runs/${runId}`)).body).toMatchObject({
      parent_run_id: null,
      status: "suspended",
      current_step: 1,
    });
    const answer = await sendRequest(api, "POST", `/runs/${runId}/resume`, {
      decision: "approved",
      feedback: "go",
    });
    expect(answer).toEqual({ status: 200, body: { success: true } });
    await waitForEnd(runId);
    expect(book.paid.length).toBe(before + 1);
    expect((await sendRequest(api, "GET", `/runs/${runId}`)).body.status).toBe("completed");
    const late = await sendRequest(api, "POST", `/runs/${runId}/resume`, { decision: "approved" });
    expect(late).toEqual({ status: 409, body: { error: expect.stringContaining("waits for no decision") } });
  });

  test("[S0-30] the RUN_SUSPENDED event of a blocked parent names the reason and the child, both in rows and in a stream", async () => {
    const { runId } = (await sendRequest(api, "POST", "/runs", { prompt: "Pay ann" })).body;
    const [item] = await waitForBlockingItems(runId);
    const suspended = { reason: "child_hitl", blocked_by_child_run_id: item!.runId };
    const { events } = (await sendRequest(api, "GET", `/runs/${runId}/events`)).body;
    expect(events.at(-1)).toMatchObject({ event_type: "RUN_SUSPENDED", payload: suspended });
    const own = (await sendRequest(api, "GET", `/runs/${item!.runId}/events`)).body.events.at(-1);
    expect(own).toMatchObject({ event_type: "RUN_SUSPENDED", payload: { reason: "approval" } });
    expect((await api.client.events(runId)).at(-1)!.payload).not.toHaveProperty("reason");
    await sendRequest(api, "POST", `/runs/${runId}/resume`, { decision: "rejected" });
    await waitForEnd(runId);
    const stream = await api.fetch(`http://cadre/runs/${runId}/events`, {
      headers: { Accept: "text/event-stream" },
    });
    expect(await stream.text()).toContain('"reason":"child_hitl"');
  });

  test("[F50] POST /runs with a repeated Idempotency-Key returns the same run; with a different prompt, the request fails", async () => {
    const key = { "Idempotency-Key": "seed-1" };
    const body = { prompt: "Hi", agentType: "talker" };
    const first = await sendRequest(api, "POST", "/runs", body, key);
    expect(await sendRequest(api, "POST", "/runs", body, key)).toEqual(first);
    const other = await sendRequest(api, "POST", "/runs", { ...body, prompt: "Ho" }, key);
    expect(other).toEqual({ status: 422, body: { error: expect.stringContaining("idempotency key") } });
  });

  test("if a person rejects the payment with a reason, the reason is recorded and nothing is paid", async () => {
    const before = book.paid.length;
    const { runId } = (await sendRequest(api, "POST", "/runs", { prompt: "Pay", agentType: "clerk" })).body;
    await waitForApprovals(api, runId);
    await sendRequest(api, "POST", `/runs/${runId}/resume`, { decision: "rejected", feedback: "too much" });
    const events = await waitForEnd(runId);
    expect(events.find(({ type }) => type === "APPROVAL_DECIDED")?.payload).toMatchObject({
      decision: "reject",
      note: "too much",
    });
    expect(book.paid.length).toBe(before);
  });

  test("[S0-71] GET /runs/:id/events answers with JSON rows or with a stream of the same rows", async () => {
    const { runId } = (await sendRequest(api, "POST", "/runs", { prompt: "Hi", agentType: "talker" })).body;
    await waitForEnd(runId);
    const { events } = (await sendRequest(api, "GET", `/runs/${runId}/events`)).body;
    expect(events[0]).toMatchObject({ run_id: runId, sequence: 1, event_type: "RUN_STARTED" });
    expect(events.at(-1).event_type).toBe("RUN_COMPLETED");
    const stream = await api.fetch(`http://cadre/runs/${runId}/events`, {
      headers: { Accept: "text/event-stream" },
    });
    const rows = Array.from((await stream.text()).matchAll(/^id: .*\ndata: (.*)$/gm), ([, data]) =>
      JSON.parse(data!),
    );
    expect(rows).toEqual(events);
  });

  test("GET /runs lists the newest run first; GET /runs/:id answers 404 for an unknown run", async () => {
    const { body } = await sendRequest(api, "GET", "/runs?limit=2");
    expect(body.runs).toHaveLength(2);
    expect(body.nextCursor).toEqual(expect.any(String));
    expect(await sendRequest(api, "GET", "/runs/r0000000000")).toEqual({
      status: 404,
      body: { error: "There is no run r0000000000. `cadre runs` lists the existing ones." },
    });
  });
});

describe("the routes of contract S4", () => {
  test("[S4-51] POST /api/chat starts a run in a session, and the next message continues the session", async () => {
    const first = await sendRequest(api, "POST", "/api/chat", { message: "hello", agent_id: "talker" });
    expect(first).toEqual({
      status: 202,
      body: { run_id: expect.any(String), session_id: expect.any(String), queued: false },
    });
    const { run_id, session_id } = first.body;
    await waitForEnd(run_id);
    const second = await sendRequest(api, "POST", "/api/chat", {
      message: "again",
      agent_id: "talker",
      session_id,
    });
    expect(second.body).toMatchObject({ session_id, queued: false });
    await waitForEnd(second.body.run_id);
    const { messages } = (await sendRequest(api, "GET", `/api/runs/${second.body.run_id}/context`)).body;
    expect(JSON.stringify(messages)).toContain("You said: hello");
  });

  test("[S4-51] a message that names no agent goes to the session's agent, even while that agent's child waits", async () => {
    const first = await sendRequest(api, "POST", "/api/chat", {
      message: "Pay ann",
      agent_id: "orchestrator",
    });
    const { run_id, session_id } = first.body;
    await waitForBlockingItems(run_id);
    const queuedAnswer = { status: 202, body: { run_id, session_id, queued: true } };
    expect(await sendRequest(api, "POST", "/api/chat", { message: "and hurry", session_id })).toEqual(
      queuedAnswer,
    );
    const { body } = await sendRequest(api, "POST", `/api/sessions/${session_id}/messages`, {
      text: "please",
    });
    expect(body).toEqual({ runId: run_id, joined: true });
    await api.client.post("/api/runs/{id}/cancel", { id: run_id });
  });

  test("[S4-51] a message to a busy agent is queued", async () => {
    const first = await sendRequest(api, "POST", "/api/chat", { message: "pay", agent_id: "clerk" });
    const { run_id, session_id } = first.body;
    await waitForApprovals(api, run_id);
    const body = { message: "and hurry", agent_id: "clerk", session_id };
    const second = await sendRequest(api, "POST", "/api/chat", body, { "Idempotency-Key": "hurry" });
    const again = await sendRequest(api, "POST", "/api/chat", body, { "Idempotency-Key": "hurry" });
    expect(second).toEqual({ status: 202, body: { run_id, session_id, queued: true } });
    expect(again).toEqual(second);
    const additions = (await api.client.events(run_id)).filter(({ type }) => type === "CONTEXT_ADDED");
    expect(additions).toHaveLength(1);
    const other = { ...body, message: "or not" };
    expect((await sendRequest(api, "POST", "/api/chat", other, { "Idempotency-Key": "hurry" })).status).toBe(
      422,
    );
    await api.client.post("/api/runs/{id}/cancel", { id: run_id });
  });

  test("[28.17] [S4-11] in the mode `auto`, a question waits without a deadline; with the preset `trusted` in the message, nothing is asked", async () => {
    const pay = { message: "pay", agent_id: "cashier", mode: "auto" };
    const { body } = await sendRequest(api, "POST", "/api/chat", pay);
    const [item] = await waitForApprovals(api, body.run_id);
    expect(item).not.toHaveProperty("expiresAt");
    await api.client.post("/api/runs/{id}/cancel", { id: body.run_id });
    const trusting = { ...pay, permissions: { preset: "trusted" } };
    const { run_id } = (await sendRequest(api, "POST", "/api/chat", trusting)).body;
    const events = await waitForEnd(run_id);
    expect(events.at(-1)).toMatchObject({ type: "RUN_COMPLETED" });
    expect(events.map(({ type }) => type)).not.toContain("RUN_SUSPENDED");
    const chat = await sendRequest(api, "POST", "/api/chat", { ...pay, mode: "chat" });
    expect((await waitForApprovals(api, chat.body.run_id))[0]).toHaveProperty("expiresAt");
    await api.client.post("/api/runs/{id}/cancel", { id: chat.body.run_id });
  });

  test("[28.17] GET /api/sessions names the session's main agent, even if the newest run is a child", async () => {
    const { body } = await sendRequest(api, "POST", "/api/chat", {
      message: "Pay ann",
      agent_id: "orchestrator",
    });
    await waitForBlockingItems(body.run_id);
    const { sessions } = (await sendRequest(api, "GET", "/api/sessions")).body;
    const own = sessions.find(({ id }: { id: string }) => id === body.session_id);
    expect(own).toMatchObject({ agent: "orchestrator", runs: 2, last: { id: body.run_id } });
    await api.client.post("/api/runs/{id}/cancel", { id: body.run_id });
  });

  test("[S4-47] [S4-21] [S4-30] GET /api/agent-runs filters runs by project and session", async () => {
    const { body } = await sendRequest(api, "POST", "/api/chat", { message: "hi", agent_id: "talker" });
    await waitForEnd(body.run_id);
    const root = encodeURIComponent(project.folder);
    const path = `/api/agent-runs?project_root=${root}/&session_id=${body.session_id}`;
    expect((await sendRequest(api, "GET", path)).body.runs).toEqual([
      {
        run_id: body.run_id,
        repo_path: project.folder,
        session_id: body.session_id,
        agent_id: "talker",
        agent_kind: "main",
        status: "completed",
        detail: expect.any(String),
        started_at: expect.any(Number),
        ended_at: expect.any(Number),
      },
    ]);
    expect((await sendRequest(api, "GET", "/api/agent-runs?project_root=/elsewhere")).body).toEqual({
      runs: [],
    });
  });

  test("[S4-48] [S4-50] GET /api/agent-children lists children, and POST /api/agent-cancel ends a run and its children", async () => {
    const { runId } = (await sendRequest(api, "POST", "/runs", { prompt: "Pay ann" })).body;
    await waitForBlockingItems(runId);
    const { runs } = (await sendRequest(api, "GET", `/api/agent-children?run_id=${runId}`)).body;
    expect(runs).toMatchObject([{ agent_id: "clerk", parent_run_id: runId, status: "running" }]);
    const { status, body } = await sendRequest(api, "POST", "/api/agent-cancel", { run_id: runId });
    expect(status).toBe(200);
    expect(new Set(body.cancelled)).toEqual(new Set([runId, runs[0].run_id]));
    await waitForEnd(runId);
    const again = await sendRequest(api, "POST", "/api/agent-cancel", { run_id: runId });
    expect(again).toMatchObject({ status: 409, body: { error: { code: "RUN_TERMINAL" } } });
  });

  test("[S4-49] GET /api/agent-context answers with a summary or with the full messages", async () => {
    const { body } = await sendRequest(api, "POST", "/api/chat", {
      message: "x ".repeat(500),
      agent_id: "talker",
    });
    await waitForEnd(body.run_id);
    const short = (await sendRequest(api, "GET", `/api/agent-context?run_id=${body.run_id}`)).body;
    expect(short.messages[0]).toMatchObject({ role: "user", summary: expect.stringMatching(/^.{100,201}$/) });
    const raw = (await sendRequest(api, "GET", `/api/agent-context?run_id=${body.run_id}&view=raw`)).body;
    expect(JSON.stringify(raw).length).toBeGreaterThan(1_000);
    expect((await sendRequest(api, "GET", `/api/agent-context?run_id=${body.run_id}&view=all`)).status).toBe(
      400,
    );
  });

  test("[S4-53] POST /api/settings changes a setting, GET returns the new value, and the chat uses it", async () => {
    expect((await sendRequest(api, "GET", "/api/settings")).body).toEqual({
      agent: "assistant",
      mode: "chat",
      model: runtime.defaultModel,
    });
    expect((await sendRequest(api, "POST", "/api/settings", { agent: "nobody" })).status).toBe(400);
    const set = await sendRequest(api, "POST", "/api/settings", { agent: "talker" });
    expect(set).toMatchObject({ status: 200, body: { agent: "talker", mode: "chat" } });
    await sendRequest(api, "POST", "/api/settings", { mode: "auto" });
    expect((await sendRequest(api, "GET", "/api/settings")).body).toMatchObject({
      agent: "talker",
      mode: "auto",
    });
    const { run_id } = (await sendRequest(api, "POST", "/api/chat", { message: "hi" })).body;
    expect(await api.client.get("/api/runs/{id}", { id: run_id })).toMatchObject({
      agent: "talker",
      mode: "auto",
    });
  });

  test("[S4-54] GET /api/workspace/tree omits ignored and hidden files and everything outside the project", async () => {
    const { folder } = project;
    mkdirSync(join(folder, "lib/deep"), { recursive: true });
    for (const file of ["lib/deep/a.ts", "lib/b.ts", "secret.key", ".env", "build.log"])
      writeFileSync(join(folder, file), "");
    writeFileSync(join(folder, ".gitignore"), "*.key\nbuild.log\n");
    symlinkSync("/etc", join(folder, "etc"));
    const { body } = await sendRequest(api, "GET", "/api/workspace/tree");
    expect(body.truncated).toBe(false);
    const lib = body.entries.find((entry: { name: string }) => entry.name === "lib");
    expect(lib.children.map((entry: { path: string }) => entry.path).toSorted()).toEqual([
      "lib/b.ts",
      "lib/deep",
    ]);
    expect(JSON.stringify(body)).not.toMatch(/secret|\.env|build\.log|passwd|cadre\.db/);
    const part = (await sendRequest(api, "GET", "/api/workspace/tree?path=lib/deep")).body;
    expect(part.entries).toEqual([{ name: "a.ts", path: "lib/deep/a.ts", kind: "file" }]);
  });

  test.each(["..", "/etc", "lib/../..", "etc", "%00", "none", "secret.key"])(
    "[A34] GET /api/workspace/tree rejects the path %s",
    async (path) => {
      const { status, body } = await sendRequest(api, "GET", `/api/workspace/tree?path=${path}`);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).not.toContain("passwd");
    },
  );
});
