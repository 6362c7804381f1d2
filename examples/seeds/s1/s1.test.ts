// Checks from outside that the system in this folder does what document S1 says.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Json, type Seed, startSeed } from "../seed.fixture.ts";

let seed: Seed;
let tree: Json;
beforeAll(async () => {
  seed = await startSeed("s1");
  const { runId } = await seed.post("/api/runs", {
    agent: "supervisor",
    task: "Add user authentication to the API",
  });
  await seed.until(`/api/runs/${runId}`, ({ endedAt }) => endedAt !== undefined);
  tree = await seed.get(`/api/runs/${runId}/tree`);
});
afterAll(() => seed[Symbol.asyncDispose]());

const shapeOf = ({ agent, children }: Json): string =>
  children.length === 0 ? agent : `${agent}(${children.map(shapeOf).join(" ")})`;

test("[S1-23] a task runs as in document S1: a plan, three workers in parallel, a researcher, a review and a fix", async () => {
  expect(tree).toMatchObject({
    status: "completed",
    summary: "The authentication is reviewed and approved.",
  });
  expect(shapeOf(tree)).toBe("supervisor(planner worker(researcher) worker worker reviewer(fixer))");
  const { events } = await seed.get(`/api/runs/${tree.id}/events`);
  const children = events
    .map(({ type }: Json) => type)
    .filter((type: string) => type.startsWith("CHILD_RUN"));
  expect(children.slice(2, 5)).toEqual(Array(3).fill("CHILD_RUN_STARTED"));
});

test("[S1-8] [S1-19] a worker cannot spawn a fixer, and the refusal has the wording of document S1", async () => {
  const worker = tree.children.find(({ task }: Json) => task === "User Model");
  const { events } = await seed.get(`/api/runs/${worker.id}/events`);
  const results = events.filter(({ type }: Json) => type === "TOOL_RESULT");
  expect(results[0].payload.output).toContain("PERMISSION_DENIED: worker cannot spawn fixer");
});

test("[S1-8] [S1-19] an MCP client can spawn the supervisor and no other type, and no file has a problem", async () => {
  const spawn = async (agentType: string): Promise<string> => {
    const params = { name: "spawn", arguments: { agentType, task: "x" } };
    const response = await seed.fetch("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    return response.text();
  };
  for (const type of ["orchestrator", "worker", "planner", "reviewer", "researcher", "fixer"])
    expect(await spawn(type)).toMatch(`PERMISSION_DENIED: an MCP client cannot spawn ${type}`);
  expect(await spawn("supervisor")).toContain("spawned");
  expect((await seed.cadre("agents", "validate")).stdout).not.toMatch(/warning|supervisor\.md:/);
});

test("[S1-29] [S1-31] a reviewer cannot write files, but the fixer that it spawns can", async () => {
  expect(existsSync(join(seed.folder, "api/review.js"))).toBe(false);
  for (const file of ["api/users.js", "api/fix.js"]) expect(existsSync(join(seed.folder, file))).toBe(true);
});

test("[28.7] [S1-26] [S1-27] a worker commits with the git tools, and its supervisor finds the commit in the log", async () => {
  const { events } = await seed.get(`/api/runs/${tree.id}/events`);
  const log = events.findLast(({ type }: Json) => type === "TOOL_RESULT").payload.output;
  expect(log).toMatch(/ Cadre\n {4}Add the user model/);
});

test("[28.8] [S1-40] [S1-57] runs and their messages are served as AgentSession and AgentMessage records", async () => {
  const { sessions } = await seed.get(`/api/agent-sessions?parentAgentId=${tree.id}`);
  expect(sessions.map(({ agentType, status }: Json) => `${agentType} ${status}`).sort()).toEqual([
    "PLANNER COMPLETED",
    "REVIEWER COMPLETED",
    "WORKER COMPLETED",
    "WORKER COMPLETED",
    "WORKER COMPLETED",
  ]);
  const reviewer = sessions.find(({ agentType }: Json) => agentType === "REVIEWER");
  expect(reviewer).toMatchObject({ parentAgentId: tree.id, workspaceId: seed.folder, errorMessage: null });
  expect(reviewer.result.summary).toBe(tree.children.find(({ agent }: Json) => agent === "reviewer").summary);
  const { messages } = await seed.get(`/api/agent-sessions/${reviewer.id}/messages`);
  expect(messages[0]).toMatchObject({
    agentSessionId: reviewer.id,
    role: "user",
    content: [{ type: "text", text: reviewer.task }],
  });
  expect(messages.some(({ role, content }: Json) => role === "assistant" && content[0])).toBe(true);
  expect(await seed.get(`/api/agent-sessions/${reviewer.id}`)).toEqual(reviewer);
});

test("[S1-42] an SQL query shows each run's parent, agent and depth", () => {
  const rows = seed.sql(
    "SELECT child.agent AS agent, parent.agent AS spawnedBy FROM runs child JOIN runs parent ON child.parent = parent.id WHERE child.root = ? ORDER BY child.n",
    tree.id,
  );
  expect(rows).toHaveLength(7);
  expect(rows).toContainEqual({ agent: "researcher", spawnedBy: "worker" });
  expect(rows).toContainEqual({ agent: "fixer", spawnedBy: "reviewer" });
});

test("[28.18] the README's own command line works in the reader's shell", async () => {
  const { code, stdout } = await seed.readme();
  expect(code).toBe(0);
  const next = /^look again: (.+)$/m.exec(stdout)![1]!;
  expect(await seed.shell(next), next).toMatchObject({ code: 0 });
});
