// Tests the main routes as the CLI and other programs use them, with a real runtime and a real socket.

import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import { openSqliteStore } from "../../stores/sqlite/store.ts";
import type { Store } from "../../stores/store.ts";
import { createClient, isUnreachable } from "../client/client.ts";
import {
  type Api,
  CLERK,
  eventsUntil,
  isEnd,
  noOtherProjects,
  payTool,
  sendRequest,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";
import { AgentView } from "../routes/agents.ts";
import { Health } from "../routes/health.ts";
import { ListedRun } from "../views/list-runs.ts";
import { RunDetail } from "../views/run-detail.ts";
import { Verification } from "../views/verify-run.ts";
import { createApp } from "./app.ts";
import { openSettings } from "./settings-file.ts";

const clerk: Script = ({ turn }) =>
  turn > 1
    ? { report: { summary: "paid" } }
    : { text: "I pay.", calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };
const writer: Script = ({ task, lastUser }) => ({ text: `About ${task}: ${lastUser}` });

const WRITER =
  "---\nname: writer\ntitle: The Writer\ndescription: Writes.\nmodel: scripted/writer\ntools: []\n---\nYou write.\n";

let project: ReturnType<typeof tempProject>;
let store: Store;
let runtime: RuntimeAssembly;
let api: Api;

beforeAll(async () => {
  project = tempProject({
    "agents/clerk.md": CLERK,
    "agents/writer.md": WRITER,
    "agents/helper.md": "---\nname: helper\nkind: subagent\ndescription: Helps.\n---\nYou help.\n",
    "agents/broken.md": "---\nname: broken\nname: twice\n---\nBroken.\n",
  });
  const { folder } = project;
  store = openSqliteStore({ path: `${folder}/cadre.db`, clock: systemClock });
  const tools = [payTool().tool];
  runtime = await assembleRuntime({
    folder,
    home: folder,
    env: {},
    store,
    tools,
    scripts: { clerk, writer },
  });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
});

afterAll(async () => {
  await api.close();
  await runtime.stop();
  await store.close();
  project.remove();
});

async function completeRun(task = "birds"): Promise<string> {
  const { runId } = await api.client.post("/api/runs", { body: { agent: "writer", task } });
  await eventsUntil(api, runId, isEnd);
  return runId;
}

async function startWaitingRun(): Promise<string> {
  const { runId } = await api.client.post("/api/runs", { body: { agent: "clerk", task: "pay" } });
  await waitForApprovals(api, runId);
  return runId;
}

test("the health route names the process and its store", async () => {
  const health = await api.client.get("/api/health");
  expect(Health.strict().parse(health)).toEqual(health);
  expect(health).toMatchObject({
    pid: process.pid,
    storeId: store.id,
    command: "cadre",
    drives: true,
    isShared: false,
    isWorker: true,
    isServer: false,
    model: "scripted/rehearsal",
  });
});

describe("starting runs", () => {
  test("POST /api/runs answers 201 with the run's id, and the run records its user", async () => {
    const { status, body } = await sendRequest(api, "POST", "/api/runs", {
      agent: "writer",
      task: "birds",
      input: { n: 1 },
    });
    expect(status).toBe(201);
    expect(await api.client.get("/api/runs/{id}", { id: body.runId })).toMatchObject({
      agent: "writer",
      userId: "maria",
      input: { n: 1 },
    });
  });

  test("[F50] POST /api/runs with a repeated key returns the same run; with a different body, the answer is 422", async () => {
    const first = await api.client.post("/api/runs", {
      body: { agent: "writer", task: "once" },
      idempotencyKey: "key-1",
    });
    expect(
      await api.client.post("/api/runs", {
        body: { task: "once", agent: "writer" },
        idempotencyKey: "key-1",
      }),
    ).toEqual(first);
    const other = await sendRequest(
      api,
      "POST",
      "/api/runs",
      { agent: "writer", task: "twice" },
      { "Idempotency-Key": "key-1" },
    );
    expect(other).toMatchObject({ status: 422, body: { error: { code: "UNPROCESSABLE" } } });
    const { runs } = await api.client.get("/api/runs", { agent: "writer" });
    expect(runs.filter(({ task }) => task === "once" || task === "twice")).toHaveLength(1);
  });

  test.each([
    ["an unknown agent", { agent: "writr", task: "x" }, "AGENT_NOT_FOUND", "Did you mean `writer`?"],
    ["a broken agent", { agent: "broken", task: "x" }, "AGENT_INVALID", "agents/broken.md"],
    ["a subagent", { agent: "helper", task: "x" }, "BAD_REQUEST", "subagent"],
    ["no task", { agent: "writer" }, "BAD_REQUEST", "`task`"],
    ["an empty task", { agent: "writer", task: " " }, "BAD_REQUEST", "task"],
    ["an unknown key", { agent: "writer", task: "x", modle: "y" }, "BAD_REQUEST", "modle"],
    ["an unknown limit", { agent: "writer", task: "x", limits: { maxTurn: 1 } }, "BAD_REQUEST", "maxTurn"],
    [
      "a negative limit",
      { agent: "writer", task: "x", limits: { maxTurns: -1 } },
      "BAD_REQUEST",
      "limits.maxTurns",
    ],
    ["a body that is not an object", "3", "BAD_REQUEST", "body"],
    ["invalid JSON", "{", "BAD_REQUEST", "JSON"],
  ])("POST /api/runs with %s answers 400 with the reason", async (_, body, code, says) => {
    const before = (await api.client.get("/api/runs", { limit: 500 })).runs.length;
    const answer = await sendRequest(api, "POST", "/api/runs", body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code } } });
    expect(answer.body.error.message).toContain(says);
    expect((await api.client.get("/api/runs", { limit: 500 })).runs).toHaveLength(before);
  });

  test.each([
    [{ maxIterations: 3 }, { maxTurns: 3 }],
    [
      { max_iters: 3, maxDuration: "1h 30m" },
      { maxTurns: 3, maxDuration: 5_400_000 },
    ],
    [
      { toolTimeout: 5_000, approvalTimeout: "5s" },
      { toolTimeout: 5_000, approvalTimeout: 5_000 },
    ],
  ])("[B1] POST /api/runs accepts limits as people write them: %j", async (limits, kept) => {
    const { status, body } = await sendRequest(api, "POST", "/api/runs", {
      agent: "writer",
      task: "x",
      limits,
    });
    expect(status).toBe(201);
    const run = await api.client.get("/api/runs/{id}", { id: body.runId });
    expect(run.limits).toMatchObject(kept);
    expect(run.limits).not.toHaveProperty("max_iters");
  });

  test("a request that sets one limit under two names is rejected, and so is an invalid duration", async () => {
    const errorMessageFor = async (limits: object) =>
      (await sendRequest(api, "POST", "/api/runs", { agent: "writer", task: "x", limits })).body.error
        .message;
    expect(await errorMessageFor({ maxTurns: 3, max_iters: 4 })).toContain("both set `maxTurns`");
    expect(await errorMessageFor({ maxDuration: "soon" })).toContain('"soon" is no duration');
  });

  test("the error for an unknown agent lists the known agents", async () => {
    await expect(
      api.client.post("/api/runs", { body: { agent: "nobody", task: "x" } }),
    ).rejects.toMatchObject({
      code: "AGENT_NOT_FOUND",
      details: { known: expect.arrayContaining(["clerk", "writer"]) },
    });
  });

  test("a request that a form on another website could send is rejected", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ]) {
      const answer = await sendRequest(api, "POST", "/api/runs", '{"agent":"writer","task":"x"}', {
        "Content-Type": type,
      });
      expect(answer).toMatchObject({ status: 415, body: { error: { code: "BAD_REQUEST" } } });
    }
    expect((await sendRequest(api, "POST", `/api/runs/${await startWaitingRun()}/cancel`)).status).toBe(415);
  });

  test("a body that is too large is rejected before it is completely read", async () => {
    const answer = await sendRequest(api, "POST", "/api/runs", {
      agent: "writer",
      task: "x".repeat(21_000_000),
    });
    expect(answer).toMatchObject({ status: 413, body: { error: { code: "BAD_REQUEST" } } });
  });
});

describe("reading runs", () => {
  test("GET /api/runs lists runs in pages, newest first, and can filter them", async () => {
    const ids = [await completeRun("a"), await completeRun("b"), await completeRun("c")];
    const first = await api.client.get("/api/runs", {
      agent: "writer",
      status: ["completed", "failed"],
      limit: 2,
    });
    expect(first.runs.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    for (const run of first.runs) expect(ListedRun.strict().parse(run)).toEqual(run);
    const second = await api.client.get("/api/runs", {
      agent: "writer",
      limit: 2,
      cursor: first.nextCursor!,
    });
    expect(second.runs[0]!.id).toBe(ids[0]);
    expect((await api.client.get("/api/runs", { root: ids[0]! })).runs.map(({ id }) => id)).toEqual([ids[0]]);
    expect(await api.client.get("/api/runs", { agent: "nobody" })).toEqual({ runs: [] });
  });

  test("GET /api/runs/{id} returns the run's status, output and usage", async () => {
    const id = await completeRun();
    const run = await api.client.get("/api/runs/{id}", { id });
    expect(RunDetail.strict().parse(run)).toEqual(run);
    expect(run).toMatchObject({
      id,
      status: "completed",
      stopReason: "final_answer",
      limits: { maxTurns: 100 },
      result: { status: "completed", summary: "About birds: birds" },
      children: [],
    });
    expect(run.treeUsage).toEqual(run.usage);
    expect(run.usage.modelCalls).toBe(1);
    const open = await api.client.get("/api/runs/{id}", { id: await startWaitingRun() });
    expect(RunDetail.strict().parse(open)).toEqual(open);
    expect(open).toMatchObject({ status: "suspended", waitingOn: { kind: "approval" } });
    expect(open).not.toHaveProperty("result");
  });

  test("a child run is listed under its parent, and the child's approval is listed for every ancestor", async () => {
    const parent = await completeRun("parent");
    const [start] = await store.journal.read(parent);
    const child = `c${"0".repeat(21)}`;
    const payload = {
      ...(start!.payload as object),
      rootRunId: parent,
      parentRunId: parent,
      depth: 1,
      agent: "helper",
    };
    await store.runs.start(child, payload as never);
    const proposal = { toolCallId: "m1.0", name: "Pay", effect: "unsafe", verdict: "ask", rule: "x" };
    const usage = { input: 10, output: 5 };
    const content = [{ type: "tool-call", toolCallId: "1", toolName: "Pay", input: {} }];
    const thought = { callId: "m1", content, usage, cost: 2, finish: "tool-calls", ms: 1 };
    const events = [
      { type: "MODEL_CALL_STARTED", payload: { callId: "m1", model: "scripted/x" } },
      { type: "AGENT_THOUGHT", payload: thought },
      { type: "TOOL_PROPOSED", payload: proposal },
    ];
    expect(
      (await store.journal.append({ runId: child, after: 1, events: events as never })).refused,
    ).toBeUndefined();
    const detail = await api.client.get("/api/runs/{id}", { id: parent });
    expect(detail.children).toMatchObject([{ id: child, agent: "helper" }]);
    expect(detail.treeUsage.cost - detail.usage.cost).toBe(2);
    const items = (await api.client.get("/api/approvals", { run: parent })).approvals;
    expect(items).toMatchObject([
      { runId: child, rootRunId: parent, path: ["writer", "helper"], agent: "helper" },
    ]);
    const tree = await sendRequest(api, "GET", `/api/runs/${parent}/events?tree=1`);
    const runsIn = ({ events }: { events: { runId: string }[] }) => new Set(events.map(({ runId }) => runId));
    expect(runsIn(tree.body)).toEqual(new Set([parent, child]));
    const below = await sendRequest(api, "GET", `/api/runs/${child}/events?tree=1`);
    expect(runsIn(below.body)).toEqual(new Set([child]));
    expect(await api.client.events(parent)).toHaveLength(detail.seq);
    await api.client.post("/api/runs/{id}/cancel", { id: child });
  });

  test("a run is found by a unique prefix of its id", async () => {
    const ids = ["rprefix-one", "rprefix-two"];
    const [start] = await store.journal.read(await completeRun());
    for (const id of ids)
      await store.runs.start(id, { ...(start!.payload as object), rootRunId: id } as never);
    expect((await api.client.get("/api/runs/{id}", { id: "rprefix-o" })).id).toBe(ids[0]);
    await expect(api.client.get("/api/runs/{id}", { id: "rprefix" })).rejects.toMatchObject({
      code: "CONFLICT",
      details: { runs: expect.arrayContaining(ids) },
    });
    await expect(api.client.get("/api/runs/{id}", { id: "rpref" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(api.client.post("/api/runs/{id}/cancel", { id: "rprefix" })).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  test("the client reads the whole journal in several pages, or only the events after a position", async () => {
    const id = await completeRun();
    const all = await store.journal.read(id);
    expect(await api.client.events(id)).toEqual(all);
    expect(await api.client.events(id, all[1]!.position)).toEqual(all.slice(2));
    expect(await api.client.events(id, all.at(-1)!.position)).toEqual([]);
    const long = await startWaitingRun();
    const messages = Array.from({ length: 1_100 }, (_, i) => ({
      type: "CONTEXT_ADDED" as const,
      payload: { id: `n${i}`, source: "person" as const, text: `message ${i}` },
    }));
    await store.journal.append({
      runId: long,
      after: (await api.client.get("/api/runs/{id}", { id: long })).seq,
      events: messages,
    });
    const { seq } = await api.client.get("/api/runs/{id}", { id: long });
    const events = await api.client.events(long);
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: seq }, (_, i) => i + 1));
    expect(seq).toBeGreaterThan(1_100);
  });

  test("the API returns the prompt that the model sees", async () => {
    const { system, messages } = await api.client.transcript(await completeRun());
    expect(system).toContain("You write.");
    expect(messages).toMatchObject([
      { role: "user", content: [{ text: "birds" }] },
      { role: "assistant", content: [{ text: "About birds: birds" }] },
    ]);
  });

  test("verifying an undamaged journal returns its length and its last hash", async () => {
    const id = await completeRun();
    const verified = await api.client.get("/api/runs/{id}/verify", { id });
    expect(Verification.strict().parse(verified)).toEqual(verified);
    expect(verified).toEqual({
      ok: true,
      runs: 1,
      events: (await api.client.get("/api/runs/{id}", { id })).seq,
      receipts: 0,
      head: (await store.journal.head(id))!.hash,
    });
  });

  test("verifying a damaged journal names the damaged event; approvals of other runs are still listed", async () => {
    const [damaged, whole] = [await startWaitingRun(), await startWaitingRun()];
    const file = new DatabaseSync(`${project.folder}/cadre.db`);
    file
      .prepare("UPDATE events SET payload = ? WHERE seq = 3 AND run = (SELECT n FROM runs WHERE id = ?)")
      .run("{}", damaged);
    file.close();
    const verified = await api.client.get("/api/runs/{id}/verify", { id: damaged });
    expect(Verification.strict().parse(verified)).toEqual(verified);
    expect(verified).toMatchObject({ ok: false, events: 2, problem: expect.stringContaining("event 3") });
    expect(verified.at).toEqual({ runId: damaged, seq: 3 });
    const waitingRuns = (await api.client.get("/api/approvals")).approvals.map(({ runId }) => runId);
    expect(waitingRuns).toContain(whole);
    expect(waitingRuns).not.toContain(damaged);
    expect(await api.client.get("/api/runs/{id}", { id: damaged })).toMatchObject({
      waitingOn: { kind: "quarantine" },
    });
    expect((await api.client.get("/api/usage", { root: damaged })).byAgent).toMatchObject([
      { agent: "clerk", runs: 1 },
    ]);
    await expect(api.client.transcript(damaged)).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
  });

  test("GET /api/agents lists all agents, and shows the problems of broken ones", async () => {
    const { agents } = await api.client.get("/api/agents");
    for (const agent of agents) expect(AgentView.strict().parse(agent)).toEqual(agent);
    const byName = new Map(agents.map((agent) => [agent.name, agent]));
    expect(byName.get("writer")).toMatchObject({
      title: "The Writer",
      kind: "main",
      models: ["scripted/writer"],
      file: "agents/writer.md",
      problems: [],
    });
    expect(byName.get("broken")).toMatchObject({ models: [], problems: [{ severity: "error", line: 3 }] });
  });
});

describe("actions on runs", () => {
  test("a cancellation ends the run; a second cancellation is rejected", async () => {
    const id = await startWaitingRun();
    expect(
      await api.client.post("/api/runs/{id}/cancel", { id, body: { reason: "changed my mind" } }),
    ).toEqual({ cancelled: [id] });
    const events = await eventsUntil(api, id, isEnd);
    expect(events.at(-1)!.type).toBe("RUN_CANCELLED");
    expect(events.find(({ type }) => type === "CANCEL_REQUESTED")!.payload).toEqual({
      by: "maria",
      reason: "changed my mind",
    });
    await expect(api.client.post("/api/runs/{id}/cancel", { id })).rejects.toMatchObject({
      code: "RUN_TERMINAL",
    });
  });

  test("a retry answers 202 with a new run that continues the ended one; retrying an active run is rejected", async () => {
    const ended = await completeRun("retried");
    const { status, body } = await sendRequest(api, "POST", `/api/runs/${ended.slice(0, 18)}/retry`, {});
    expect(status).toBe(202);
    expect(body.runId).not.toBe(ended);
    await eventsUntil(api, body.runId, isEnd);
    expect(await api.client.get("/api/runs/{id}", { id: body.runId })).toMatchObject({
      trigger: "retry",
      task: "retried",
    });
    const [old, next] = [await api.client.transcript(ended), await api.client.transcript(body.runId)];
    expect(next.messages.slice(0, old.messages.length), "it begins with what it continues").toEqual(
      old.messages,
    );
    expect(await api.client.post("/api/runs/{id}/retry", { id: ended })).toEqual({
      runId: expect.stringMatching(/^r/),
    });
    await expect(
      api.client.post("/api/runs/{id}/retry", { id: await startWaitingRun() }),
    ).rejects.toMatchObject({
      code: "CONFLICT",
    });
    await expect(api.client.post("/api/runs/{id}/retry", { id: "r00000000" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("[FK1] [FK7] a fork answers 202 with a new root run that inherits the first run's messages; both runs can be compared", async () => {
    const ended = await completeRun("forked");
    const { status, body } = await sendRequest(api, "POST", `/api/runs/${ended.slice(0, 18)}/fork`, {
      seq: 1,
    });
    expect(status).toBe(202);
    await eventsUntil(api, body.runId, isEnd);
    expect(await api.client.get("/api/runs/{id}", { id: body.runId })).toMatchObject({
      trigger: "fork",
      task: "forked",
    });
    const { runs } = await api.client.get("/api/runs", { branchesOf: ended });
    expect(runs.map(({ id }) => id)).toEqual([body.runId]);
    const compared = await api.client.get("/api/compare", { a: ended, b: body.runId });
    expect(compared).toMatchObject({ a: { runId: ended }, b: { runId: body.runId }, nodes: [{ depth: 0 }] });
    expect(await sendRequest(api, "POST", `/api/runs/${ended}/fork`, { at: 1 })).toMatchObject({
      status: 400,
    });
    await expect(
      api.client.post("/api/runs/{id}/fork", { id: ended, body: { seq: 999 } }),
    ).rejects.toMatchObject({ code: "UNPROCESSABLE" });
    await expect(api.client.post("/api/runs/{id}/fork", { id: "r00000000" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("a message reaches an active run; a message to an ended run is rejected", async () => {
    const id = await startWaitingRun();
    await api.client.post("/api/runs/{id}/message", { id, body: { text: "hurry" } });
    expect((await api.client.events(id)).at(-1)).toMatchObject({
      type: "CONTEXT_ADDED",
      payload: { source: "person", from: "maria", text: "hurry" },
    });
    expect((await sendRequest(api, "POST", `/api/runs/${id}/message`, { text: " " })).status).toBe(400);
    await expect(
      api.client.post("/api/runs/{id}/message", { id: await completeRun(), body: { text: "late" } }),
    ).rejects.toMatchObject({
      code: "RUN_TERMINAL",
    });
  });

  test("a run can be paused and resumed; a run that is not paused cannot be resumed", async () => {
    const id = await startWaitingRun();
    await expect(api.client.post("/api/runs/{id}/resume", { id })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    await api.client.post("/api/runs/{id}/pause", { id });
    expect((await api.client.get("/api/runs/{id}", { id })).waitingOn).toMatchObject({
      kind: "paused",
      detail: "Paused by maria.",
    });
    await api.client.post("/api/runs/{id}/resume", { id });
    expect((await api.client.events(id)).map(({ type }) => type)).toContain("RUN_RESUMED");
    expect((await sendRequest(api, "POST", `/api/runs/${id}/pause`, { forever: true })).status).toBe(400);
  });

  test("a verdict on a call's outcome is rejected if the outcome is already known", async () => {
    const id = await startWaitingRun();
    const verdict = { callId: "m1.0", verdict: "happened" as const };
    await expect(api.client.post("/api/runs/{id}/outcome", { id, body: verdict })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(
      (await sendRequest(api, "POST", `/api/runs/${id}/outcome`, { ...verdict, verdict: "maybe" })).status,
    ).toBe(400);
  });

  test("an action on a run answers 202: the request is recorded, and the driver carries it out later", async () => {
    expect((await sendRequest(api, "POST", `/api/runs/${await startWaitingRun()}/pause`, {})).status).toBe(
      202,
    );
  });
});

describe("answers to invalid requests", () => {
  test.each([
    "/api/runs?filter[x') OR 1=1--]=1",
    "/api/runs?sort=created_at;DROP TABLE",
    '/api/runs?q="',
    "/api/runs?status=done",
    "/api/runs?status=",
    "/api/runs?limit=0",
    "/api/runs?limit=501",
    "/api/runs?limit=1e2",
    "/api/runs?limit=-1",
    "/api/runs?limit=5&limit=6",
    "/api/runs?cursor=' OR 1=1",
    "/api/runs?__proto__=1",
    "/api/approvals?status=closed",
    "/api/health?x=1",
    "/api/events?after=x",
  ])("[A59] GET %s answers 400", async (path) => {
    const answer = await sendRequest(api, "GET", encodeURI(path));
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "BAD_REQUEST" } } });
    expect(answer.body.error.details.issues).not.toEqual([]);
  });

  test("[A59] the routes of a single run also check their queries", async () => {
    const id = await completeRun();
    for (const query of [
      "events?after=-1",
      "events?tree=yes",
      "events?x=1",
      "context?view=y",
      "verify?fix=1",
      "tree?depth=1",
    ]) {
      expect((await sendRequest(api, "GET", `/api/runs/${id}/${query}`)).status).toBe(400);
    }
  });

  test("every route that takes a run's id answers 404 for an unknown run", async () => {
    const id = "r000000000000000000000";
    const gets = ["", "/tree", "/events", "/events?stream=1", "/context", "/verify"];
    const posts = {
      cancel: {},
      pause: {},
      resume: {},
      message: { text: "x" },
      outcome: { callId: "m1.0", verdict: "fail" },
      probe: { callId: "m1.0" },
    };
    const answers = await Promise.all([
      ...gets.map((rest) => sendRequest(api, "GET", `/api/runs/${id}${rest}`)),
      ...Object.entries(posts).map(([verb, body]) =>
        sendRequest(api, "POST", `/api/runs/${id}/${verb}`, body),
      ),
    ]);
    for (const answer of answers) {
      expect(answer).toEqual({
        status: 404,
        body: {
          error: {
            code: "NOT_FOUND",
            message: `There is no run ${id}. \`cadre runs\` lists the existing ones.`,
          },
        },
      });
    }
  });

  test("the answer for an unknown path is JSON", async () => {
    for (const [method, path] of [
      ["GET", "/api/nothing"],
      ["GET", "/"],
      ["POST", "/api/health"],
      ["DELETE", "/api/runs/x"],
      ["DELETE", "/api/grants/x"],
    ] as const) {
      const answer = await sendRequest(api, method, path, method === "POST" ? {} : undefined);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    }
  });

  test("[A19] no GET request changes anything", async () => {
    const id = await startWaitingRun();
    const before = await api.client.events(id);
    for (const path of [
      "/api/health",
      "/api/runs",
      `/api/runs/${id}`,
      `/api/runs/${id}/tree`,
      `/api/runs/${id}/events`,
      `/api/runs/${id}/context`,
      `/api/runs/${id}/verify`,
      `/api/runs/${id}/cancel`,
      `/api/runs/${id}/pause`,
      "/api/approvals",
      "/api/grants",
      "/api/agents",
      "/api/usage",
    ]) {
      await sendRequest(api, "GET", path);
    }
    expect(await api.client.events(id)).toEqual(before);
    expect((await api.client.get("/api/runs/{id}", { id })).status).toBe("suspended");
  });

  test("[F34] the process reports every failure; the client gets details only of known failures", async () => {
    const problems: unknown[] = [];
    const failures = [
      new Error("secret /home/maria"),
      new CadreError("STORAGE_FULL", "The disk is full."),
      new CadreError("STORAGE_UNUSABLE", "postgres://db/cadre cannot be reached."),
    ];
    const broken = createApp({
      ...runtime,
      systemPrompt: runtime.parts.systemPrompt,
      agents: () => Promise.reject(failures.shift()!),
      web: {},
      projects: noOtherProjects,
      info: {
        version: "0",
        folder: "",
        command: "",
        startedAt: 0,
        drives: false,
        isShared: false,
        model: "",
      },
      who: () => "maria",
      checks: async () => [],
      settings: openSettings(project.folder),
      onProblem: (problem) => problems.push(problem),
    });
    const response = await broken.request("/api/agents");
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text).error.code).toBe("INTERNAL");
    expect(text).not.toContain("secret");
    expect((await broken.request("/api/agents?x=1")).status).toBe(400);
    const full = await broken.request("/api/agents");
    expect([full.status, await full.json()]).toMatchObject([
      507,
      { error: { message: "The disk is full." } },
    ]);
    const away = await broken.request("/api/agents");
    expect([away.status, await away.json()], "to be asked again, like /healthz").toMatchObject([
      503,
      { error: { code: "STORAGE_UNUSABLE" } },
    ]);
    expect(problems).toMatchObject([
      { message: "GET /api/agents failed.", error: { message: "secret /home/maria" } },
      { message: "GET /api/agents failed.", error: { code: "STORAGE_FULL" } },
      { message: "GET /api/agents failed.", error: { code: "STORAGE_UNUSABLE" } },
    ]);
  });
});

describe("the client of the API", () => {
  const clientWithAnswer = (status: number, body: string) =>
    createClient({ fetch: async () => new Response(body, { status }) });

  test("the client throws the error that the server threw", async () => {
    const error = await api.client
      .get("/api/runs/{id}", { id: "nothing" })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CadreError);
    expect(error).toMatchObject({
      code: "NOT_FOUND",
      message: "There is no run nothing. `cadre runs` lists the existing ones.",
    });
  });

  test("the client distinguishes an unreachable owner process from one that rejects the request", async () => {
    const unreachable = createClient({ fetch: () => Promise.reject(new Error("ECONNREFUSED")) });
    const error = await unreachable.get("/api/health").catch((thrown: unknown) => thrown);
    expect(isUnreachable(error)).toBe(true);
    expect(
      isUnreachable(
        await api.client.get("/api/runs/{id}", { id: "nothing" }).catch((thrown: unknown) => thrown),
      ),
    ).toBe(false);
    expect(
      isUnreachable(
        await clientWithAnswer(200, '{"half')
          .get("/api/health")
          .catch((thrown: unknown) => thrown),
      ),
    ).toBe(true);
  });

  test("the client handles answers from other servers and error codes from a newer version of Cadre", async () => {
    await expect(clientWithAnswer(502, "<html>").get("/api/health")).rejects.toMatchObject({
      code: "INTERNAL",
    });
    const newer = clientWithAnswer(409, '{"error":{"code":"BRAND_NEW","message":"Something new."}}');
    await expect(newer.get("/api/health")).rejects.toMatchObject({
      code: "INTERNAL",
      message: "Something new.",
    });
  });
});
