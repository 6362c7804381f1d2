// Tests agents, the results of their runs, and usage over time.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import type { UsageView } from "../client/types.ts";
import {
  type Api,
  eventsUntil,
  isEnd,
  sendRequest,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";
import { readUsage } from "./usage.ts";

const SECRET = "sk-live-1234567890abcdef";
const LEAD = `---
name: lead
description: Leads.
model: scripted/lead
agents: [coder]
tools: []
---
You lead. The key is ${SECRET}.
`;
const CODER =
  "---\nname: coder\ndescription: Codes.\nkind: subagent\nmodel: scripted/coder\ntools: [Read, Grep]\n---\nYou code.\n";

const LEAKY = `---
name: leaky
title: Pays with ${SECRET}
description: Uses ${SECRET} to pay.
color: "${SECRET}"
model: scripted/${SECRET}
tools: [Read]
---
You pay.
`;

const lead: Script = ({ turn }) =>
  turn > 1 ? { text: "done" } : { calls: [{ tool: "delegate", input: { agent: "coder", task: "code" } }] };
const coder: Script = () => ({ text: "coded", usage: { input: 10, output: 2 } });

const ASKER =
  "---\nname: asker\ndescription: Asks.\nmodel: scripted/asker\ntools: [AskUser]\n---\nYou ask.\n";
const asker: Script = ({ turn }) =>
  turn > 1 ? { text: "thanks" } : { calls: [{ tool: "AskUser", input: { question: "Which colour?" } }] };

let project: ReturnType<typeof tempProject>;
let runtime: RuntimeAssembly;
let api: Api;

beforeAll(async () => {
  project = tempProject({
    "agents/lead.md": LEAD,
    "agents/coder.md": CODER,
    "agents/asker.md": ASKER,
    "agents/leaky.md": LEAKY,
    "agents/leaky-broken.md": `---\nname: leaky-broken\ndescription: Has ${SECRET}.\n"${SECRET}": 1\nmaxTurns: "${SECRET}"\n---\nBroken.\n`,
    "agents/broken.md": "---\nname: broken\nagents: [coder]\nmaxTurns: many\n---\nBroken.\n",
  });
  const { folder } = project;
  const env = { XDG_CONFIG_HOME: folder, PAY_API_KEY: SECRET };
  runtime = await assembleRuntime({ folder, home: folder, env, scripts: { lead, coder, asker } });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
});
afterAll(async () => {
  await api.close();
  await runtime.stop();
  project.remove();
});

async function completeLeadRun(): Promise<string> {
  const { runId } = await api.client.post("/api/runs", { body: { agent: "lead", task: "lead" } });
  await eventsUntil(api, runId, isEnd);
  return runId;
}

describe("listing and describing agents", () => {
  test("[S1-60] [S1-62] the list shows which agents each agent can start, and which agents are terminal, read-only or broken", async () => {
    const { agents } = await api.client.get("/api/agents");
    const of = (name: string) => agents.find((agent) => agent.name === name);
    expect(of("lead")).toMatchObject({
      edges: [{ key: "agents", to: "coder" }],
      isTerminal: true,
      scope: "project",
    });
    expect(of("coder")).toMatchObject({ edges: [], readOnly: true, steps: false, dialect: "cadre" });
    expect(of("assistant")).toMatchObject({ scope: "builtin", readOnly: false });
    const broken = of("broken");
    expect(broken).not.toHaveProperty("kind");
    expect(broken).toMatchObject({ edges: [{ key: "agents", to: "coder" }], isTerminal: false });
  });

  test("[U53] the view of one agent contains its file from disk with secrets masked, even if the file is broken", async () => {
    const { source, definition } = await api.client.get("/api/agents/{name}", { name: "lead" });
    expect(source).toMatchObject({ frontmatter: { name: "lead", agents: ["coder"] }, bodyLine: 8 });
    expect(source!.text).toBe(LEAD.replace(SECRET, "⟦secret PAY_API_KEY⟧"));
    expect(JSON.stringify([source, definition])).not.toContain(SECRET);
    expect((await api.client.get("/api/agents/{name}", { name: "broken" })).source!.text).toContain(
      "maxTurns: many",
    );
  });

  test.each([
    "/api/agents",
    "/api/agents/leaky",
    "/api/agents/leaky-broken",
    "/api/agents/leaky/explain",
    "/api/agents/leaky/versions",
  ])(
    "[30.17] [A61] %s serves the texts of agents and the problems in their files with secrets masked",
    async (path) => {
      const text = JSON.stringify(await sendRequest(api, "GET", path));
      expect(text).not.toContain(SECRET);
      if (!path.endsWith("versions")) expect(text).toContain("⟦secret PAY_API_KEY⟧");
    },
  );

  test("[U53] [S4-59] an agent has one version for each definition its runs have used; the next run after a file change adds a version", async () => {
    await completeLeadRun();
    await completeLeadRun();
    const first = await api.client.get("/api/agents/{name}/versions", { name: "lead" });
    expect(first).toMatchObject({
      runs: 2,
      more: false,
      versions: [{ runs: 2, completed: 2, sameFile: true }],
    });
    writeFileSync(join(project.folder, "agents/lead.md"), LEAD.replace("Leads.", "Leads well."));
    await completeLeadRun();
    const { versions } = await api.client.get("/api/agents/{name}/versions", { name: "lead" });
    expect(versions).toMatchObject([
      { runs: 1, sameFile: true, models: ["scripted/lead"] },
      { runs: 2, sameFile: false, definition: first.versions[0]!.definition },
    ]);
    expect(await api.client.get("/api/definitions/{hash}", { hash: versions[1]!.definition })).toMatchObject({
      description: "Leads.",
    });
    expect(await api.client.get("/api/definitions/{hash}", { hash: versions[0]!.definition })).toMatchObject({
      description: "Leads well.",
    });
    const { agents } = await api.client.get("/api/activity");
    expect(agents.find(({ agent }) => agent === "coder")).toMatchObject({
      runs: 3,
      completed: 3,
      successRate: 1,
    });
    expect(await api.client.get("/api/agents/{name}/versions", { name: "nobody" })).toEqual({
      versions: [],
      runs: 0,
      more: false,
    });
  });

  test('[A59] a request for a stored value that is not a definition is answered with "not found"', async () => {
    const hash = await runtime.store.blobs.put('{"name":"something else"}');
    for (const name of [hash, "..%2Ftoken", "x"])
      expect((await sendRequest(api, "GET", `/api/definitions/${name}`)).status).toBe(404);
  });
});

describe("the usage report over time", () => {
  test("[S1-75] the `every` option adds usage over time and the results of trees to the report", async () => {
    await completeLeadRun();
    const { overTime } = await api.client.get("/api/usage", { every: 3_600_000 });
    expect(overTime!.trees).toMatchObject({
      failed: 0,
      depths: [overTime!.trees.completed, expect.any(Number)],
    });
    expect(overTime!.trees.withoutPeople).toBe(overTime!.trees.completed);
    expect(overTime!.spent.find(({ agent }) => agent === "coder")).toMatchObject({ model: "scripted/coder" });
    expect((await sendRequest(api, "GET", "/api/usage?every=5")).status).toBe(400);
  });

  test("the usage totals in the store equal the totals from the journals, even after a prune", async () => {
    const all = () => readUsage(runtime.store, { every: 3_600_000 });
    const before = await all();
    const runId = await completeLeadRun();
    const [after, own] = [await all(), await readUsage(runtime.store, { root: runId, every: 3_600_000 })];
    const calls = (usage: UsageView) => usage.byAgent.reduce((sum, { modelCalls }) => sum + modelCalls, 0);
    expect(calls(after) - calls(before)).toBe(calls(own));
    expect(after.overTime!.trees.together.trees - before.overTime!.trees.together.trees).toBe(1);
    await runtime.store.runs.prune({ root: runId });
    expect(await all()).toEqual(before);
  });

  test("the report includes a run that was suspended before the report's time range and continued within the range", async () => {
    const { runId } = await api.client.post("/api/runs", {
      body: { agent: "asker", task: "ask", attended: true },
    });
    const [question] = await waitForApprovals(api, runId);
    const since = (await api.client.get("/api/runs/{id}", { id: runId })).updatedAt + 1;
    const usage = () => readUsage(runtime.store, { root: runId, since, every: 60_000 });
    expect((await usage()).byAgent).toEqual([]);
    await api.client.post("/api/approvals/{id}", {
      id: question!.id,
      body: { decision: "answer", answer: "blue" },
    });
    await eventsUntil(api, runId, isEnd);
    const { byAgent, overTime } = await usage();
    expect(byAgent).toMatchObject([{ agent: "asker", runs: 0, modelCalls: 1 }]);
    expect(overTime!.trees).toMatchObject({ withoutPeople: 0 });
  });
});

test("[N5] an agent is found by any spelling of its name, and the runs of a deleted agent are still listed", async () => {
  const runId = await completeLeadRun();
  expect((await api.client.get("/api/agents/{name}", { name: "LEAD" })).name).toBe("lead");
  expect((await api.client.get("/api/agents/{name}", { name: "log-analyzer" })).name).toBe(
    "ops/log-analyzer",
  );
  expect((await api.client.get("/api/runs", { agent: "Lead", limit: 1 })).runs).toMatchObject([
    { id: runId },
  ]);
  expect((await api.client.get("/api/agents/{name}/versions", { name: "Lead" })).runs).toBeGreaterThan(0);
  const file = join(project.folder, "agents", "log-analyzer.md");
  writeFileSync(file, LEAD.replace("name: lead", "name: log-analyzer"));
  const gone = await api.client.post("/api/runs", { body: { agent: "Log Analyzer", task: "lead" } });
  await eventsUntil(api, gone.runId, isEnd);
  rmSync(file);
  expect((await api.client.get("/api/runs", { agent: "log-analyzer" })).runs).toMatchObject([
    { id: gone.runId },
  ]);
});
