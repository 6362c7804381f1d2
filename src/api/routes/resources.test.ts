// Tests search, sessions, agents, metrics and health. Also tests ETags for clients that poll, and keys for clients that repeat requests.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import {
  type Api,
  CLERK,
  eventsUntil,
  isEnd,
  payTool,
  sendRequest,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";
import { createLivenessCheck } from "../server/liveness.ts";
import { healthRoutes } from "./health.ts";

const clerk: Script = ({ turn }) =>
  turn > 1 ? { text: "done" } : { calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };
const talker: Script = ({ lastUser }) => ({ text: `You said: ${lastUser}` });
const TALKER = "---\nname: talker\ndescription: Talks.\nmodel: scripted/talker\ntools: []\n---\nYou talk.\n";

let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;

beforeAll(async () => {
  project = tempProject({
    "agents/clerk.md": CLERK,
    "agents/talker.md": TALKER,
    "agents/broken.md": "---\nname: broken\nname: twice\n---\nBroken.\n",
  });
  const { folder } = project;
  runtime = await assembleRuntime({
    folder,
    home: folder,
    env: {},
    tools: [payTool().tool],
    scripts: { clerk, talker },
  });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
});
afterAll(async () => {
  await api.close();
  await runtime.stop();
  project.remove();
});

async function completeRun(task: string, more = {}): Promise<string> {
  const { runId } = await api.client.post("/api/runs", { body: { agent: "talker", task, ...more } });
  await eventsUntil(api, runId, isEnd);
  return runId;
}

describe("searching for runs", () => {
  test("a search finds runs by words in their journals and can be combined with other filters", async () => {
    const runId = await completeRun("Describe the zeppelin over Friedrichshafen");
    await completeRun("Describe the bicycle");
    const found = async (query: string) =>
      (await sendRequest(api, "GET", `/api/runs?${query}`)).body.runs.map(({ id }: { id: string }) => id);
    expect(await found("q=zeppelin")).toEqual([runId]);
    expect(await found("q=zepp%20describe&agent=talker")).toEqual([runId]);
    expect(await found("q=zeppelin&agent=clerk")).toEqual([]);
    expect(await api.client.get("/api/runs", { q: "friedrichshafen" })).toMatchObject({
      runs: [{ id: runId }],
    });
  });

  test.each(["%22", "*", "'", "%00", "%20", "x".repeat(201)])(
    "[A59] a search with q=%s is rejected",
    async (q) => {
      const { status, body } = await sendRequest(api, "GET", `/api/runs?q=${q}`);
      expect({ status, code: body.error.code }).toEqual({ status: 400, code: "BAD_REQUEST" });
    },
  );

  test.each(["NEAR(", '"a" OR "b', "task:x", "x*", "-x", "x AND", "^x + {y}"])(
    "[A59] a search for %s treats the text as plain words",
    async (q) => {
      expect((await sendRequest(api, "GET", `/api/runs?q=${encodeURIComponent(q)}`)).status).toBe(200);
    },
  );

  test.each(["filter[x') OR 1=1--]=1", "sort=created_at;DROP TABLE", "q=a&q=b"])(
    "[A59] GET /api/runs?%s is rejected",
    async (query) => {
      expect((await sendRequest(api, "GET", `/api/runs?${query}`)).status).toBe(400);
    },
  );
});

describe("clients that repeat requests", () => {
  test.each([
    "/api/runs",
    "/api/runs/{id}",
    "/api/approvals",
    "/api/agents",
    "/api/sessions",
    "/api/settings",
  ])("GET %s with the last ETag answers 304 if nothing has changed", async (path) => {
    const runId = await completeRun("once");
    const url = `http://cadre${path.replace("{id}", runId)}`;
    const first = await api.fetch(url);
    const tag = first.headers.get("ETag")!;
    expect(tag).toMatch(/^W\/"[\w-]+"$/);
    const second = await api.fetch(url, { headers: { "If-None-Match": `"other", ${tag}` } });
    expect([second.status, await second.text()]).toEqual([304, ""]);
    expect((await api.fetch(url, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });

  test("the ETag also changes after a prune, even though pruning writes no event", async () => {
    const runId = await completeRun("to be pruned");
    const first = await api.fetch("http://cadre/api/runs");
    const headers = { "If-None-Match": first.headers.get("ETag")! };
    await runtime.store.runs.prune({ root: runId });
    expect((await api.fetch("http://cadre/api/runs", { headers })).status).toBe(200);
  });

  test("[F50] a message, a retry or a session message takes effect once if it is repeated with the same key", async () => {
    const key = (name: string) => ({ "Idempotency-Key": name });
    const { runId } = await api.client.post("/api/runs", { body: { agent: "clerk", task: "pay" } });
    await waitForApprovals(api, runId);
    const say = (text: string) => sendRequest(api, "POST", `/api/runs/${runId}/message`, { text }, key("m"));
    expect((await say("hurry")).status).toBe(202);
    expect((await say("hurry")).status).toBe(202);
    expect((await say("wait")).status).toBe(422);
    await api.client.post("/api/runs/{id}/cancel", { id: runId });
    const events = await eventsUntil(api, runId, isEnd);
    expect(events.filter(({ type }) => type === "CONTEXT_ADDED")).toHaveLength(1);
    expect((await say("hurry")).status, "although the run has ended").toBe(202);

    const retry = () => sendRequest(api, "POST", `/api/runs/${runId}/retry`, {}, key("r"));
    expect(await retry()).toEqual(await retry());

    const speak = (text: string) =>
      sendRequest(api, "POST", "/api/sessions/keyed/messages", { agent: "talker", text }, key("s"));
    const first = await speak("hello");
    expect(first).toEqual({ status: 202, body: { runId: expect.any(String), joined: false } });
    await eventsUntil(api, first.body.runId, isEnd);
    expect(await speak("hello")).toEqual(first);
    expect((await speak("bye")).status).toBe(422);
    expect((await sendRequest(api, "GET", "/api/runs?session=keyed")).body.runs).toHaveLength(1);
  });

  test.each(["", "k".repeat(256)])("the Idempotency-Key %j is rejected", async (key) => {
    const body = { agent: "talker", text: "x" };
    const answer = await sendRequest(api, "POST", "/api/sessions/s/messages", body, {
      "Idempotency-Key": key,
    });
    expect(answer.status).toBe(400);
  });
});

describe("listing sessions and sending messages to them", () => {
  test("sessions are listed in pages, the latest first, each with its latest run", async () => {
    for (const id of ["a", "b", "a"]) await completeRun(`in ${id}`, { sessionId: `list-${id}` });
    const first = (await sendRequest(api, "GET", "/api/sessions?limit=1")).body;
    expect(first.sessions).toMatchObject([
      { id: "list-a", runs: 2, last: { agent: "talker", task: "in a" } },
    ]);
    const next = (await sendRequest(api, "GET", `/api/sessions?limit=1&cursor=${first.nextCursor}`)).body;
    expect(next.sessions).toMatchObject([{ id: "list-b", runs: 1 }]);
  });

  test("a message without an agent goes to the agent of the session's latest run; in a new session, such a message is rejected", async () => {
    await completeRun("hello", { sessionId: "known" });
    const { status, body } = await sendRequest(api, "POST", "/api/sessions/known/messages", {
      text: "again",
    });
    expect(status).toBe(202);
    expect((await api.client.get("/api/runs/{id}", { id: body.runId })).agent).toBe("talker");
    expect(await sendRequest(api, "POST", "/api/sessions/unknown/messages", { text: "hello" })).toMatchObject(
      {
        status: 400,
        body: { error: { message: expect.stringContaining("Nothing was sent") } },
      },
    );
  });
});

describe("describing agents", () => {
  test("an agent's view contains its definition; a broken agent's view contains its problems", async () => {
    const { body } = await sendRequest(api, "GET", "/api/agents/talker");
    expect(body).toMatchObject({ name: "talker", kind: "main", definition: { name: "talker" } });
    const broken = (await sendRequest(api, "GET", "/api/agents/broken")).body;
    expect(broken.definition).toBeUndefined();
    expect(broken.problems.length).toBeGreaterThan(0);
    expect((await sendRequest(api, "GET", "/api/agents/nobody")).status).toBe(404);
    expect((await sendRequest(api, "GET", "/api/agents/ops%2Fcoding")).body.name).toBe("ops/coding");
  });

  test("[A11] an agent of a pack is found by its full name; a path with an extra slash leads to no route", async () => {
    const { body } = await sendRequest(api, "GET", "/api/agents/ops%2Fcoding");
    expect((await sendRequest(api, "GET", "/api/agents/ops/coding")).body).toEqual(body);
    expect((await sendRequest(api, "GET", "/api/agents/ops/coding/explain")).body.agent).toBe("ops/coding");
    expect((await sendRequest(api, "GET", "/api/agents/ops/coding/versions")).body).toHaveProperty(
      "versions",
    );
    expect((await sendRequest(api, "GET", "/api/agents/ops/coding/replay")).body.agent).toBe("ops/coding");
    const strays = ["//ops/coding", "/ops//coding", "/ops/coding/", "/ops/coding//explain", "/", "//explain"];
    for (const stray of strays) {
      const answer = await sendRequest(api, "GET", `/api/agents${stray}`);
      expect(answer.body.error.message, stray).toMatch(/^There is no GET/);
    }
  });

  test("an agent's explanation contains its tools and the largest possible number of runs", async () => {
    const { body } = await sendRequest(api, "GET", "/api/agents/clerk/explain");
    expect(body).toMatchObject({ agent: "clerk", isTerminal: true });
    expect(body.tools.map(({ name }: { name: string }) => name)).toContain("Pay");
    expect((await sendRequest(api, "GET", "/api/agents/nobody/explain")).status).toBe(400);
  });

  test("[S4-3] after a reload, the agent in a new file is listed", async () => {
    writeFileSync(join(project.folder, "agents/late.md"), TALKER.replace("name: talker", "name: late"));
    const { status, body } = await sendRequest(api, "POST", "/api/agents/reload");
    expect(status).toBe(415);
    expect(body.error.message).toContain("JSON");
    const { agents } = (await sendRequest(api, "POST", "/api/agents/reload", {})).body;
    expect(agents.map(({ name }: { name: string }) => name)).toContain("late");
  });
});

describe("reading one approval", () => {
  test("an open approval is found by its id", async () => {
    const { runId } = await api.client.post("/api/runs", { body: { agent: "clerk", task: "pay" } });
    const [item] = await waitForApprovals(api, runId);
    const path = `/api/approvals/${encodeURIComponent(item!.id)}`;
    expect((await sendRequest(api, "GET", path)).body).toEqual(item);
    await api.client.post("/api/approvals/{id}", { id: item!.id, body: { decision: "reject" } });
    expect((await sendRequest(api, "GET", path)).status).toBe(404);
  });

  test("[F15] [A23] the answers for a missing run and for a missing item are the same", async () => {
    const runId = await completeRun("hello");
    const answers = await Promise.all(
      [`${runId}:m9.0`, "r0000000000000000000000:m1.0", "nothing"].map((id) =>
        sendRequest(api, "GET", `/api/approvals/${id}`),
      ),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body.error.message).toMatch(
        /^There is no approval \S+\. `cadre approve` lists open ones\. Nothing was decided\.$/,
      );
    }
  });
});

test("the model sees the names of the context files, and the recorded task does not change", async () => {
  const body = { agent: "talker", task: "Read", context_files: ["a.ts", "b.ts"] };
  const { runId } = (await sendRequest(api, "POST", "/api/runs", body)).body;
  const [start] = await eventsUntil(api, runId, isEnd);
  expect(start!.payload).toMatchObject({ contextFiles: ["a.ts", "b.ts"], task: "Read" });
  const seen = (await sendRequest(api, "GET", `/api/runs/${runId}/context?view=raw`)).body;
  expect(seen.messages[0].content).toEqual([{ type: "text", text: "Read\n\nFiles to look at: a.ts, b.ts" }]);
});

test("the API lists the model calls of a run and summarizes its context", async () => {
  const runId = await completeRun("tell me");
  const { messages } = (await sendRequest(api, "GET", `/api/runs/${runId}/messages`)).body;
  expect(messages).toMatchObject([{ agent_role: "talker", status: "completed" }]);
  const { body } = await sendRequest(api, "GET", `/api/runs/${runId}/context?view=summary`);
  expect(body.messages.at(-1)).toEqual({ role: "assistant", summary: "You said: tell me" });
});

test("[J11] a call that is still open does not appear as interrupted in the context", async () => {
  const { runId } = await api.client.post("/api/runs", { body: { agent: "clerk", task: "pay" } });
  await eventsUntil(api, runId, ({ type }) => type === "RUN_SUSPENDED");
  const seen = async () =>
    (await sendRequest(api, "GET", `/api/runs/${runId}/context?view=raw`)).body.messages;
  expect((await seen()).map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
  await api.client.post("/api/runs/{id}/cancel", { id: runId });
  await eventsUntil(api, runId, isEnd);
  expect(JSON.stringify((await seen()).at(-1))).toMatch(/"role":"tool".*(?:Interrupted|not started|cancel)/i);
});

test("[S1-62] if the agent's file changes, a run keeps the definition it started with", async () => {
  const runId = await completeRun("tell me");
  const { definition, isTerminal } = await api.client.get("/api/runs/{id}/definition", { id: runId });
  expect(definition).toMatchObject({ name: "talker", kind: "main" });
  expect(isTerminal).toBe(true);
  await expect(api.client.get("/api/runs/{id}/definition", { id: "nobody" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test("GET /metrics answers in Prometheus' text format", async () => {
  await completeRun("count me");
  const response = await api.fetch("http://cadre/metrics");
  expect(response.headers.get("Content-Type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).trimEnd().split("\n");
  for (const line of lines) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="\w+"\})? [\d.e+-]+)$/);
  const value = (name: string) => Number(lines.find((line) => line.startsWith(`${name} `))?.split(" ")[1]);
  expect(value('cadre_runs{status="completed"}')).toBeGreaterThan(0);
  expect(value("cadre_model_calls_total")).toBeGreaterThan(0);
  expect(value("cadre_event_position")).toBe(await runtime.store.journal.position());
  expect(value("cadre_store_bytes")).toBeGreaterThan(0);
});

test("the health route shows whether this process drives runs, and whether any process drives runs", async () => {
  const asks = { id: "r1", status: "suspended", waitingOn: { kind: "approval", items: ["m1.0", "m1.1"] } };
  const health = async (drives: boolean, silent: boolean, open = ["m1.0", "m1.1"]) => {
    const store = {
      id: "s",
      clock: { now: () => 0 },
      runs: { list: async () => ({ runs: [asks] }) },
      inbox: { openItems: async () => open.map((itemId) => ({ runId: "r1", itemId })) },
      leases: { due: async () => ["r1", "r2"], workers: async () => [{ silent }] },
    };
    const [route] = healthRoutes({ store, info: { drives }, web: {}, people: {} } as never);
    return (await new Hono().get("/", route!.handle).request("/")).json();
  };
  expect(await health(true, true)).toMatchObject({ isWorker: true, drives: true });
  const elsewhere = await health(false, false);
  expect(elsewhere).toMatchObject({ isWorker: false, drives: true });
  expect(elsewhere).not.toHaveProperty("due");
  expect(await health(false, true)).toMatchObject({ isWorker: false, drives: false, due: 1 });
  for (const open of [["m1.1"], []])
    expect(await health(false, true, open), "something is decided").toMatchObject({ due: 2 });
});

describe("the liveness check", () => {
  interface Fake {
    list?: () => Promise<object>;
    get?: () => Promise<object | undefined>;
    due?: () => Promise<string[]>;
  }
  const parts = (fake: Fake = {}, info = {}) => {
    const { list = async () => ({}), get = async () => undefined, due = async () => [] } = fake;
    const store = { runs: { list, get }, leases: { due } };
    return { store, info: { folder: "/", drives: true, ...info } } as never;
  };

  test("the check succeeds by default, and fails if the store does not answer or the folder is missing", async () => {
    expect(await createLivenessCheck(parts())()).toBe(true);
    expect(await createLivenessCheck(parts({ list: () => Promise.reject(new Error("closed")) }))()).toBe(
      false,
    );
    expect(await createLivenessCheck(parts({}, { folder: "/no/such/folder" }))()).toBe(false);
  });

  test("the check fails if a due run makes no progress for a minute; the store is read at most once a second", async () => {
    let now = 0;
    let looks = 0;
    const due = async () => {
      looks++;
      return ["r1"];
    };
    const isWell = createLivenessCheck(parts({ due, get: async () => ({ id: "r1", seq: 3 }) }), () => now);
    expect(await isWell()).toBe(true);
    await Promise.all(Array.from({ length: 50 }, () => isWell()));
    expect(looks).toBe(1);
    now = 61_000;
    expect(await isWell()).toBe(false);
  });

  test("[E9] if a process drives no runs, overdue runs do not make its check fail, because people can still use the process", async () => {
    let now = 0;
    const idle = parts(
      { due: async () => ["r1"], get: async () => ({ id: "r1", seq: 3 }) },
      { drives: false },
    );
    const isWell = createLivenessCheck(idle, () => now);
    expect(await isWell()).toBe(true);
    now = 61_000;
    expect(await isWell()).toBe(true);
  });
});
