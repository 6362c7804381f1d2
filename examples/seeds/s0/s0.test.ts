// Holds the system in this folder to document S0, from outside: over HTTP, with the command line, and with SQL.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Seed, startSeed } from "../seed.fixture.ts";

let seed: Seed;
beforeAll(async () => {
  seed = await startSeed("s0");
});
afterAll(() => seed[Symbol.asyncDispose]());

const withStatus = (status: string) => (run: { status: string }) => run.status === status;

test("[28.18] one command starts the system, and POST /runs starts its orchestrator", async () => {
  const { runId } = await seed.post("/runs", { prompt: "Checkout answers 500" });
  const run = await seed.until(`/runs/${runId}`, withStatus("suspended"));
  expect(run).toMatchObject({ agent_type: "orchestrator", parent_run_id: null });
  const { events } = await seed.get(`/runs/${runId}/events`);
  expect(events.map((event: { event_type: string }) => event.event_type)).toContain("CHILD_RUN_COMPLETED");
  expect(seed.sql("SELECT count(*) AS runs FROM runs")[0]!["runs"]).toBeGreaterThan(1);
});

test("[28.1] [S0-58] a child's timeout cuts its command and its model call; the child fails, and so does its parent", async () => {
  const write = (name: string, keys: string) =>
    writeFileSync(join(seed.folder, `agents/${name}.md`), `---\n${keys}\n---\n`);
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
