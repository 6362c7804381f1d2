// Tests trees over HTTP. The descendants, with their approvals, events and usage, are visible from every ancestor.

import { describe, expect, test } from "vitest";
import {
  charge,
  delegate,
  look,
  payloadsOf,
  roles,
  scenario,
  turns,
} from "../../../test/support/scenario.ts";
import type { World, WorldOptions } from "../../../test/support/world.ts";
import type { JournalEvent } from "../../journal/events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { emptyUsage } from "../../projections/usage/run-usage.ts";
import { contextAdded } from "../../stores/contract/kit.contract.ts";
import { overrideStore } from "../../stores/override-store.ts";
import type { Store } from "../../stores/store.ts";
import { type Api, eventsUntil, isEnd, sendRequest, serveRuntime } from "../fixtures/api.fixture.ts";
import { RunDetail } from "../views/run-detail.ts";
import { nestRuns, RunTree } from "../views/run-tree.ts";

const asks = "tools: { allow: [charge], ask: [charge] }";
const parallel = "delegation: { mode: parallel, maxParallel: 2 }";

/** The tester starts the coder, the coder starts the helper, and the helper needs approval to charge something. */
const chain: WorldOptions = {
  agent: "agents: [coder]\ntools: []",
  cast: { coder: "agents: [helper]\ntools: []", helper: asks },
  script: roles({
    tester: turns({ calls: [delegate("coder")] }),
    coder: turns({ calls: [delegate("helper")] }),
    helper: turns({ calls: [charge("x")] }),
  }),
};

function testWithApi(
  title: string,
  options: WorldOptions,
  body: (world: World, api: Api) => Promise<void>,
): void {
  scenario(title, options, async (world) => {
    const api = await serveRuntime(world.runtime, world.folder);
    try {
      await body(world, api);
    } finally {
      await api.close();
    }
  });
}

async function childrenOf(world: World, runId: string): Promise<string[]> {
  return payloadsOf(await world.events(runId), "CHILD_RUN_STARTED").map((payload) => payload.child_run_id);
}

const everyEvent = (store: Store, root: string): Promise<JournalEvent[]> =>
  store.journal.readAll(0, 10_000, { root });

describe("reading the tree of a run", () => {
  const family: WorldOptions = {
    agent: `agents: [coder, helper]\ntools: []\n${parallel}`,
    cast: { coder: "agents: [helper]\ntools: [look]", helper: "kind: subagent" },
    script: roles({
      tester: turns(
        { calls: [delegate("coder", "a"), delegate("helper", "b")] },
        { calls: [delegate("helper", "c")] },
      ),
      coder: turns({ calls: [look("x"), delegate("helper", "d")] }),
      helper: () => ({ text: "helped", usage: { input: 10, output: 1 } }),
    }),
  };

  testWithApi(
    "the tree puts each run below the run that started it; siblings are sorted by start time",
    family,
    async (world, api) => {
      const runId = await world.run("see to it");
      await world.settled(runId);
      const tree = await api.client.get("/api/runs/{id}/tree", { id: runId });
      expect(RunTree.parse(tree)).toEqual(tree);
      expect(tree).toMatchObject({
        id: runId,
        agent: "tester",
        kind: "main",
        trigger: "user",
        task: "see to it",
        status: "completed",
        stopReason: "final_answer",
        summary: "done",
        depth: 0,
        children: [
          {
            agent: "coder",
            task: "a",
            trigger: "delegation",
            depth: 1,
            children: [{ agent: "helper", kind: "subagent", task: "d", depth: 2, children: [] }],
          },
          { agent: "helper", task: "b", summary: "helped", children: [] },
          { agent: "helper", task: "c", children: [] },
        ],
      });
      expect(tree.children.map(({ id }) => id)).toEqual(await childrenOf(world, runId));
      const [coder] = tree.children;
      expect(await api.client.get("/api/runs/{id}/tree", { id: coder!.id })).toEqual(coder);
      await expect(
        api.client.get("/api/runs/{id}/tree", { id: "r000000000000000000000" }),
      ).rejects.toMatchObject({ code: "NOT_FOUND" });
    },
  );

  testWithApi(
    "[S1-70] a tree's usage counts each model call once, and the run's row contains the same total",
    family,
    async (world, api) => {
      const runId = await world.run("see to it");
      await world.settled(runId);
      const tree = await api.client.get("/api/runs/{id}/tree", { id: runId });
      const [coder] = tree.children;
      const thoughts = (await everyEvent(world.runtime.store, runId)).filter(
        ({ type }) => type === "AGENT_THOUGHT",
      );
      expect(tree.treeUsage.modelCalls).toBe(thoughts.length);
      expect(tree.usage.modelCalls).toBe(3);
      expect(coder!.treeUsage).toMatchObject({
        modelCalls: 3,
        input: coder!.usage.input + 10,
        output: coder!.usage.output + 1,
      });
      const detail = await api.client.get("/api/runs/{id}", { id: runId });
      expect(RunDetail.strict().parse(detail)).toEqual(detail);
      expect(detail.treeUsage).toEqual(tree.treeUsage);
      expect(detail.children.map(({ id, agent, status }) => ({ id, agent, status }))).toEqual(
        tree.children.map(({ id, agent, status }) => ({ id, agent, status })),
      );
      const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
      expect(ended!.tree!.usage).toMatchObject({
        input: tree.treeUsage.input,
        output: tree.treeUsage.output,
      });
    },
  );

  testWithApi(
    "[U01] [U03] [U04] the list of runs shows each tree's totals, the runs that a run waits for, and the search hits",
    chain,
    async (world, api) => {
      const runId = await world.run("see to it");
      await eventsUntil(api, runId, ({ type, payload }) => type === "RUN_SUSPENDED" && "blockers" in payload);
      const { runs, total } = await api.client.get("/api/runs", { roots: true, total: true, limit: 1 });
      const tree = await api.client.get("/api/runs/{id}/tree", { id: runId });
      const helper = tree.children[0]!.children[0]!;
      expect({ runs: runs.length, total }).toEqual({ runs: 1, total: 1 });
      expect(runs[0]).toMatchObject({
        id: runId,
        tree: { runs: 3, usage: tree.treeUsage },
        awaited: [{ id: helper.id, agent: "helper" }],
      });
      const waiting = await api.client.get("/api/runs", { waiting: "approval" });
      expect(waiting.runs.map(({ id }) => id)).toEqual([helper.id]);
      const found = await api.client.get("/api/runs", { q: "see to it" });
      expect(found.runs).toMatchObject([{ id: runId, hit: 1 }]);
      const dear = await api.client.get("/api/runs", { order: "cost", limit: 2 });
      expect(dear.runs).toHaveLength(2);
      expect(dear.nextCursor).toBeUndefined();
    },
  );

  test("building a tree from rows adds up the usage from the leaves and does not modify the rows", () => {
    const row = (id: string, parentRunId?: string): RunRow =>
      ({ id, parentRunId, usage: { ...emptyUsage(), cost: 1 } }) as RunRow;
    const rows = [
      row("top"),
      row("a", "top"),
      row("b", "top"),
      row("a1", "a"),
      row("a2", "a"),
      row("b1", "b"),
    ];
    const tree = nestRuns(rows);
    const costs = ({ id, treeUsage, children }: RunTree): unknown => [
      id,
      treeUsage.cost,
      ...children.map(costs),
    ];
    expect(costs(tree)).toEqual(["top", 6, ["a", 3, ["a1", 1], ["a2", 1]], ["b", 2, ["b1", 1]]]);
    expect(rows.map(({ usage }) => usage.cost)).toEqual(Array(6).fill(1));
  });
});

describe("the approval of a child run", () => {
  testWithApi(
    "[S0-61] a child's approval is listed for every ancestor, with all agents from the root to the child; one answer continues all runs",
    chain,
    async (world, api) => {
      const runId = await world.run("see to it");
      await world.settled(runId);
      const [coder] = await childrenOf(world, runId);
      const [helper] = await childrenOf(world, coder!);
      const [item, ...others] = (await api.client.get("/api/approvals")).approvals;
      expect(others).toEqual([]);
      expect(item).toMatchObject({
        runId: helper,
        rootRunId: runId,
        path: ["tester", "coder", "helper"],
        tool: "charge",
      });
      for (const above of [runId, coder!, helper!]) {
        expect((await api.client.get("/api/approvals", { run: above })).approvals).toEqual([item]);
      }
      expect((await api.client.get("/api/runs/{id}", { id: runId })).children).toMatchObject([
        { id: coder, status: "suspended", waitingOn: { kind: "child_hitl", blockers: [helper] } },
      ]);
      const [seenFromRoot] = (await api.client.get("/api/approvals", { run: runId })).approvals;
      await api.client.post("/api/approvals/{id}", { id: seenFromRoot!.id, body: { decision: "approve" } });
      await eventsUntil(api, runId, isEnd);
      expect((await api.client.get("/api/approvals", { run: runId })).approvals).toEqual([]);
      expect(
        (await api.client.get("/api/runs/{id}/tree", { id: runId })).children[0]!.children[0]!.status,
      ).toBe("completed");
    },
  );

  testWithApi(
    "a child's approval is not listed for its sibling",
    {
      agent: `agents: [coder, helper]\ntools: []\n${parallel}`,
      cast: { coder: asks, helper: asks },
      script: roles({
        tester: turns({ calls: [delegate("coder"), delegate("helper")] }),
        coder: turns({ calls: [charge("x")] }),
        helper: turns({ calls: [charge("y")] }),
      }),
    },
    async (world, api) => {
      const runId = await world.run("see to it");
      await eventsUntil(api, runId, ({ type, payload }) => {
        return type === "RUN_SUSPENDED" && (payload as { blockers?: string[] }).blockers?.length === 2;
      });
      const children = await childrenOf(world, runId);
      const asking = (await api.client.get("/api/approvals", { run: runId })).approvals.map(
        (item) => item.runId,
      );
      expect(new Set(asking)).toEqual(new Set(children));
      for (const child of children) {
        expect(
          (await api.client.get("/api/approvals", { run: child })).approvals.map((item) => item.runId),
        ).toEqual([child]);
      }
    },
  );
});

describe("reading the events of a tree", () => {
  const late: WorldOptions = {
    ...chain,
    agent: `agents: [coder]\n${asks}`,
    script: roles({
      tester: turns({ calls: [charge("first")] }, { calls: [delegate("coder")] }),
      coder: turns({ calls: [delegate("helper")] }),
      helper: turns({ calls: [charge("x")] }),
    }),
  };

  const startsCoder = (event: JournalEvent): boolean =>
    event.type === "RUN_STARTED" && event.payload.agent === "coder";

  /** Follows a tree and approves everything until the matching event arrives. */
  async function approveUntil(
    api: Api,
    runId: string,
    after: number,
    enough: (event: JournalEvent) => boolean = () => false,
  ): Promise<JournalEvent[]> {
    const events: JournalEvent[] = [];
    const { signal } = new AbortController();
    for await (const item of api.client.follow({ runId, after, tree: true, signal })) {
      if (item.type !== "event") continue;
      events.push(item.event);
      if (enough(item.event)) break;
      for (const open of (await api.client.get("/api/approvals", { run: runId })).approvals) {
        await api.client.post("/api/approvals/{id}", { id: open.id, body: { decision: "approve" } });
      }
    }
    return events;
  }

  testWithApi(
    "[P10] a tree's events come in commit order, including the events of children that start later",
    late,
    async (world, api) => {
      const runId = await world.run("see to it");
      const other = await world.run("another tree");
      await world.settled(runId);
      const events = await approveUntil(api, runId, 0);
      expect(events).toEqual(await everyEvent(world.runtime.store, runId));
      expect(new Set(events.map((event) => event.runId)).size).toBe(3);
      expect(events.some((event) => event.runId === other)).toBe(false);
      expect(events.at(-1)).toMatchObject({ runId, type: "RUN_COMPLETED" });
      expect(await api.client.treeEvents(runId)).toEqual(events);
      expect(await api.client.treeEvents(runId, events[4]!.position)).toEqual(events.slice(5));

      const [coder] = await childrenOf(world, runId);
      const below = events.filter((event) => event.runId !== runId);
      expect(await api.client.treeEvents(coder!)).toEqual(below);
      expect(await approveUntil(api, coder!, 0)).toEqual(below);
    },
  );

  testWithApi(
    "[F46] after a restart, the stream continues at the reader's position and includes the events of new children",
    late,
    async (world, api) => {
      const runId = await world.run("see to it");
      const before = await approveUntil(api, runId, 0, startsCoder);
      await world.settled(runId);
      await api.close();
      await world.restart();
      const next = await serveRuntime(world.runtime, world.folder);
      const { store } = world.runtime;
      const { position } = before.at(-1)!;
      const rest = await approveUntil(next, runId, position);
      expect([...before, ...rest]).toEqual(await everyEvent(store, runId));
      const response = await next.fetch(`http://cadre/api/runs/${runId}/events?tree=1`, {
        headers: { Accept: "text/event-stream", "Last-Event-ID": `${store.id}.${position}` },
      });
      const text = await response.text();
      const ids = Array.from(text.matchAll(/^id: .*\.(\d+)$/gm), (found) => Number(found[1]));
      expect(ids).toEqual(rest.map((event) => event.position));
      expect(text).toMatch(/event: end\n/);
      await next.close();
    },
  );

  scenario(
    "[P10] if a child starts while a page is read, the child's events are on that page or on the next page",
    { ...chain, idle: true },
    async (world) => {
      const runId = await world.run("see to it");
      const { store } = world.runtime;
      const racing = overrideStore(store, {
        journal: {
          async readAll(...wanted) {
            await world.drive(runId);
            return store.journal.readAll(...wanted);
          },
        },
      });
      const api = await serveRuntime({ ...world.runtime, store: racing }, world.folder);
      const events = await api.client.treeEvents(runId);
      await api.close();
      expect(await childrenOf(world, runId)).toHaveLength(1);
      expect(events).toEqual(await everyEvent(store, runId));
    },
  );
});

describe("cancelling a tree", () => {
  testWithApi(
    "[U41] a cancelled run shows how many runs are being cancelled and how many of them have ended",
    {
      idle: true,
      agent: `agents: [coder, helper]\ntools: []\n${parallel}`,
      cast: { coder: asks, helper: "" },
      script: roles({
        tester: turns(
          { calls: [delegate("helper")] },
          { calls: [delegate("coder", "a"), delegate("coder", "b")] },
        ),
        coder: turns({ calls: [charge("x")] }),
      }),
    },
    async (world, api) => {
      const runId = await world.run("see to it");
      await world.drive(runId);
      const [helper] = await childrenOf(world, runId);
      await world.drive(helper!);
      await world.drive(runId);
      const [, a, b] = await childrenOf(world, runId);
      await world.drive(a!);
      await world.drive(b!);
      const readStopping = async (id = runId) => (await api.client.get("/api/runs/{id}", { id })).stopping;
      expect(await readStopping()).toBeUndefined();

      expect(await api.client.post("/api/runs/{id}/cancel", { id: b! })).toEqual({ cancelled: [b] });
      expect(await readStopping(b)).toEqual({ done: 0, of: 1 });
      expect(await readStopping(), "nobody wants to stop this one").toBeUndefined();
      const { cancelled } = await api.client.post("/api/runs/{id}/cancel", { id: runId });
      expect(new Set(cancelled), "one has ended, one is being cancelled already").toEqual(
        new Set([runId, a]),
      );
      expect(await readStopping()).toEqual({ done: 0, of: 3 });
      expect(await readStopping(a)).toEqual({ done: 0, of: 1 });
      expect(await api.client.post("/api/runs/{id}/cancel", { id: runId })).toEqual({ cancelled: [] });

      await world.drive(runId);
      expect(await readStopping(), "it waits for those below").toEqual({ done: 0, of: 3 });
      await world.drive(a!);
      expect(await readStopping()).toEqual({ done: 1, of: 3 });
      const detail = await api.client.get("/api/runs/{id}", { id: runId });
      expect(RunDetail.strict().parse(detail)).toEqual(detail);
      await world.drive(b!);
      expect(await readStopping()).toEqual({ done: 2, of: 3 });
      await world.drive(runId);
      const ended = await api.client.get("/api/runs/{id}", { id: runId });
      expect(ended).toMatchObject({ status: "cancelled", stopReason: "user" });
      expect(ended).not.toHaveProperty("stopping");
    },
  );

  testWithApi(
    "[U41] the cancellation request is found even if many events follow it",
    { ...chain, idle: true },
    async (world, api) => {
      const runId = await world.run("see to it");
      await world.drive(runId);
      await api.client.post("/api/runs/{id}/cancel", { id: runId });
      const notes = Array.from({ length: 120 }, (_, i) => contextAdded(`n${i}`));
      await world.runtime.store.journal.append({ runId, after: 0, events: notes });
      expect((await api.client.get("/api/runs/{id}", { id: runId })).stopping).toEqual({ done: 0, of: 2 });
    },
  );
});

const NO_USAGE = { byAgent: [], byModel: [], byEdge: [], byTree: [], trees: 0, byPerson: [] };

describe("the usage of a tree", () => {
  const busy = roles({
    tester: turns(
      { calls: [delegate("coder", "a", { model: "scripted/dear" })], usage: { input: 4, output: 0 } },
      { calls: [delegate("helper", "b")], usage: { input: 4, output: 0 } },
      { text: "done", usage: { input: 4, output: 0 } },
    ),
    coder: turns(
      { calls: [look("x")], usage: { input: 2, output: 1 } },
      { text: "ok", usage: { input: 2, output: 1 } },
    ),
    helper: () => ({ error: { status: 400, message: "no such model" } }),
  });
  const options: WorldOptions = {
    agent: "agents: [coder, helper]\ntools: []",
    cast: { coder: "tools: [look]", helper: "" },
    config: "prices:\n  scripted/dear: { input: 1000000, output: 1000000 }\n",
    script: busy,
    scripts: { test: busy, dear: busy },
  };

  testWithApi(
    "[S1-70] [S2-93] [S2-94] the usage report groups usage by agent, by model, and by caller and callee, for all runs or for one tree",
    options,
    async (world, api) => {
      const runId = await world.run("see to it");
      await world.settled(runId);
      const alone = await world.run("again");
      await world.settled(alone);
      const all = await api.client.get("/api/usage");
      expect(all.byAgent).toMatchObject([
        { agent: "coder", runs: 2, cost: 12, input: 8, output: 4, modelCalls: 4, toolCalls: 2 },
        { agent: "helper", runs: 2, cost: 0, modelCalls: 0, wastedCalls: 2 },
        { agent: "tester", runs: 2, cost: 0, input: 24, modelCalls: 6 },
      ]);
      expect(all.byModel).toMatchObject([
        { model: "scripted/dear", cost: 12, modelCalls: 4 },
        { model: "scripted/test", cost: 0, modelCalls: 6, wastedCalls: 2 },
      ]);
      const edge = { from: "tester", cancelled: 0 };
      expect(all.byEdge).toEqual([
        { ...edge, to: "coder", started: 2, succeeded: 2, failed: 0, successRate: 1 },
        { ...edge, to: "helper", started: 2, succeeded: 0, failed: 2, successRate: 0 },
      ]);

      const one = await api.client.get("/api/usage", { root: runId });
      const { treeUsage } = await api.client.get("/api/runs/{id}/tree", { id: runId });
      const sum = (list: readonly { input: number; cost: number; modelCalls: number }[]) =>
        list.reduce(
          (total, { input, cost, modelCalls }) => ({
            input: total.input + input,
            cost: total.cost + cost,
            modelCalls: total.modelCalls + modelCalls,
          }),
          { input: 0, cost: 0, modelCalls: 0 },
        );
      const { input, cost, modelCalls } = treeUsage;
      expect(sum(one.byAgent)).toEqual({ input, cost, modelCalls });
      expect(sum(one.byModel)).toEqual({ input, cost, modelCalls });
      const [coder] = await childrenOf(world, runId);
      expect(await api.client.get("/api/usage", { root: coder!.slice(0, 12) })).toMatchObject({
        byAgent: [{ agent: "coder", runs: 1 }],
        byModel: [{ model: "scripted/dear" }],
        byEdge: [],
      });
      expect(await api.client.get("/api/usage", { since: Date.now() + 3_600_000 })).toEqual(NO_USAGE);
    },
  );

  testWithApi("[A59] the usage route rejects invalid queries and unknown runs", options, async (_, api) => {
    for (const query of ["since=yesterday", "root=", "agent=x", "since=-1"]) {
      expect((await sendRequest(api, "GET", `/api/usage?${query}`)).status).toBe(400);
    }
    await expect(api.client.get("/api/usage", { root: "r000000000000000000000" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    expect(await api.client.get("/api/usage")).toEqual(NO_USAGE);
  });
});

describe("the list of model calls", () => {
  testWithApi(
    "[S2-1] [S2-75] [S2-76] every model call of a tree has a row, and the row names the call that caused it",
    { ...chain, cast: { coder: "agents: [helper]\ntools: []", helper: "" } },
    async (world, api) => {
      const runId = await world.run("see to it", { sessionId: "s1" });
      await world.settled(runId);
      const { messages } = (await sendRequest(api, "GET", "/api/messages?session=s1")).body as {
        messages: {
          id: number;
          agent_role: string;
          parent_message_id: number | null;
          request_type: string;
        }[];
      };
      expect(messages.map(({ agent_role }) => agent_role)).toEqual([
        "tester",
        "coder",
        "helper",
        "helper",
        "coder",
        "tester",
      ]);
      const [first, second] = messages;
      expect(second).toMatchObject({ parent_message_id: first!.id, request_type: "delegation" });
      const below = await sendRequest(api, "GET", `/api/messages?parent=${first!.id}`);
      expect((below.body as { messages: unknown[] }).messages).toHaveLength(2);
      expect(await sendRequest(api, "GET", "/api/messages?role")).toMatchObject({ status: 400 });
    },
  );
});

testWithApi(
  "[B3] [F25] a person can raise the tree's budget from any run that the budget stopped; the root shows the new limit",
  {
    agent: `agents: [coder]\ntools: []\nmaxOutputTokens: 200\n${parallel}`,
    cast: { coder: "tools: [look]\nmaxOutputTokens: 200" },
    config: "limits: { tree: { maxTokens: 12000 }, onBudget: suspend }\n",
    script: roles({
      tester: turns({ calls: [delegate("coder", "a"), delegate("coder", "b")] }),
      coder: ({ turn }) =>
        turn < 7 ? { calls: [look(`${turn}`)], usage: { input: 900, output: 100 } } : { text: "done" },
    }),
  },
  async (world, api) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [child, other] = await childrenOf(world, runId);
    await Promise.all([world.settled(child!), world.settled(other!)]);
    const { body } = await sendRequest(api, "GET", `/api/approvals?run=${runId}`);
    expect(body).toMatchObject({
      approvals: [child, other].map((id) => ({
        id: `${id}:budget/1`,
        kind: "budget",
        limit: "tree.maxTokens",
        path: ["tester", "coder"],
      })),
    });
    const raise = { decision: "approve", limits: { maxTokens: 100_000 } };
    const item = `/api/approvals/${other}:budget/1`;
    expect(await sendRequest(api, "GET", item)).toMatchObject({ status: 200, body: { kind: "budget" } });
    expect((await sendRequest(api, "POST", `${item}/ask`, { person: "jo" })).status).toBe(202);
    for (const path of [item, `/runs/${other}/resume`]) {
      const bare = { decision: path === item ? "approve" : "approved" };
      const refused = await sendRequest(api, "POST", path, bare);
      expect(refused, path).toMatchObject({ status: 400 });
      expect(JSON.stringify(refused.body)).toContain("`limits` (`maxTokens`, `maxCost`)");
    }
    const decided = await sendRequest(api, "POST", item, raise);
    expect(decided).toMatchObject({ status: 200, body: { alreadyDecided: false } });
    await eventsUntil(api, runId, isEnd);
    expect((await world.state(runId)).end).toMatchObject({ status: "completed" });
  },
);
