// Holds the system in this folder to document S0, from outside: over HTTP, with the command line, and with SQL.

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
