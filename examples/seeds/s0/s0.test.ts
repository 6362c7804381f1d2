// Checks from outside that the system in this folder does what document S0 says: over HTTP, with the command line, and with SQL.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Json, type Seed, startSeed } from "../seed.fixture.ts";

let seed: Seed;
beforeAll(async () => {
  seed = await startSeed("s0");
});
afterAll(() => seed[Symbol.asyncDispose]());

type Row = { event_type: string; payload: Json };
const withStatus = (status: string) => (run: { status: string }) => run.status === status;

test("[28.2] [28.3] [28.4] one command runs an incident, from the logs to a restarted service; each call asks for approval once", async () => {
  const { runId } = await seed.post("/runs", { prompt: "Checkout answers 500" });
  const blocked = await seed.until(`/runs/${runId}`, withStatus("suspended"));
  expect(blocked).toMatchObject({ agent_type: "orchestrator", parent_run_id: null });
  const { runs } = await seed.get("/runs");
  const coding = runs.find((run: { agent_type: string }) => run.agent_type === "coding");
  expect(coding).toMatchObject({ parent_run_id: runId, status: "suspended", current_step: 2 });

  await seed.post(`/runs/${coding.id}/resume`, { decision: "approved" });
  await seed.until("/api/approvals", ({ approvals: [item] }) => item?.tool === "restart_service");
  expect(readFileSync(join(seed.folder, "pricing.js"), "utf8")).toContain("last line");
  await seed.post(`/runs/${runId}/resume`, { decision: "approved" });
  await seed.until(`/runs/${runId}`, withStatus("completed"));

  const { events } = await seed.get(`/runs/${runId}/events`);
  const typesOf = (rows: Row[]) => rows.map(({ event_type }) => event_type);
  expect(typesOf(events).filter((type) => !/MODEL|THOUGHT|TOOL/.test(type))).toEqual([
    "RUN_STARTED",
    "CHILD_RUN_STARTED",
    "CHILD_RUN_COMPLETED",
    "CHILD_RUN_STARTED",
    "RUN_SUSPENDED",
    "RUN_RESUMED",
    "RUN_SUSPENDED",
    "RUN_RESUMED",
    "CHILD_RUN_COMPLETED",
    "RUN_COMPLETED",
  ]);
  const proposed = async (id: string): Promise<string[]> =>
    (await seed.get(`/runs/${id}/events`)).events
      .filter(({ event_type }: Row) => event_type === "TOOL_PROPOSED")
      .map(({ payload: { name, input } }: Row) => `${name} ${Object.keys(input).join()}`);
  expect(await proposed(runId)).toEqual(["run_log_analyzer_agent task", "run_coding_agent task"]);
  expect((await proposed(coding.id)).map((call) => call.split(" ")[0])).toContain("write_file");
  const started = events.filter((event: Row) => event.event_type === "CHILD_RUN_STARTED");
  expect(started.map(({ payload }: Row) => payload.agent_type)).toEqual(["log-analyzer", "coding"]);
  const stream = await seed.fetch(`/runs/${runId}/events`, { headers: { Accept: "text/event-stream" } });
  expect((await stream.text()).split('"event_type":"RUN_SUSPENDED"')).toHaveLength(3);
  expect(seed.sql("SELECT agent, parent FROM runs WHERE root = ? ORDER BY n", runId)).toEqual([
    { agent: "orchestrator", parent: null },
    { agent: "log-analyzer", parent: runId },
    { agent: "coding", parent: runId },
  ]);
});

test("[28.3] [28.4] the model is offered the tools that S0 names, and a run without an agent starts the orchestrator", async () => {
  const { stdout } = await seed.cadre("agents", "prompt", "coding");
  const names =
    "shell_command_execute read_file write_file find_files search_code loki_query restart_service";
  for (const name of names.split(" ")) expect(stdout).toContain(name);
  for (const agentType of ["wizard", "assistant", "ops/coding"])
    expect(await seed.post("/runs", { prompt: "x", agentType })).toEqual({ error: "Invalid agent type" });
  const { stdout: id } = await seed.cadre("run", "Checkout answers 500", "--detach");
  expect(await seed.get(`/runs/${id.trim()}`)).toMatchObject({ agent_type: "orchestrator" });
});

const write = (name: string, keys: string) =>
  writeFileSync(join(seed.folder, `agents/${name}.md`), `---\n${keys}\n---\n`);

test("[28.1] [S0-58] a child that reaches its time limit makes its parent fail, even if it could still report", async () => {
  write("hasty", "extends: coding\nlimits: { maxDuration: 2s }");
  write("hurried", "extends: orchestrator\nagents: [hasty]");
  const { runId } = await seed.post("/runs", { prompt: "Look", agentType: "hurried" });
  await seed.until(`/runs/${runId}`, withStatus("failed"));
  const { events } = await seed.get(`/runs/${runId}/events`);
  const { payload } = events.find(({ event_type }: Row) => event_type === "CHILD_RUN_COMPLETED");
  expect(payload).toMatchObject({ summary: "I was not done.", result: { stop_reason: "max_duration" } });
  expect(events.at(-1).payload.summary).toMatch(
    new RegExp(
      `^Child run ${payload.child_run_id} timed out after \\d+ ms. Its last report: I was not done.$`,
    ),
  );
});

test("[28.1] [S0-58] if nobody decides in time, the child and its parent fail", async () => {
  write("patient", "extends: coding\nlimits: { approvalTimeout: 1s }");
  write("unanswered", "extends: orchestrator\nagents: [patient]");
  const { runId } = await seed.post("/runs", { prompt: "Round", agentType: "unanswered" });
  await seed.until(`/runs/${runId}`, withStatus("failed"));
  const { events } = await seed.get(`/runs/${runId}/events`);
  expect(events.at(-1).payload.summary).toMatch(/Nobody decided on \w+ in time\./);
  expect(existsSync(join(seed.folder, "patient.js"))).toBe(false);
});

test("[28.1] [S0-58] a child's time limit stops its command and its model call; the child fails, and its parent fails too", async () => {
  write("hasty", "extends: coding\nlimits: { maxDuration: 2s }");
  write("hurried", "extends: orchestrator\nagents: [hasty]");
  const { runId } = await seed.post("/runs", { prompt: "Deploy", agentType: "hurried" });
  await seed.until(`/runs/${runId}`, withStatus("suspended"));
  await seed.post(`/runs/${runId}/resume`, { decision: "approved" });
  await seed.until(`/runs/${runId}`, withStatus("failed"));

  const { events } = await seed.get(`/runs/${runId}/events`);
  const { payload } = events.find(
    (event: { event_type: string }) => event.event_type === "CHILD_RUN_COMPLETED",
  );
  const timeout = `Child run ${payload.child_run_id} timed out after 2000 ms`;
  expect(payload).toMatchObject({ success: false, summary: expect.stringContaining(timeout) });
  expect(events.at(-1)).toMatchObject({ payload: { summary: expect.stringContaining(timeout) } });
  expect(seed.sql("SELECT status FROM runs WHERE id = ?", payload.child_run_id)).toEqual([
    { status: "failed" },
  ]);
  expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain("sleep 30.4711");
  expect(existsSync(join(seed.folder, "deployed"))).toBe(false);
});

test("[28.18] the README's own command line works in the reader's shell", async () => {
  expect(await seed.readme()).toMatchObject({ code: 0 });
});
