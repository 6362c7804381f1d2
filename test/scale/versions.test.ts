// Two versions of Cadre work on one store, as during a rolling upgrade. The processes and Postgres are real.

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";
import { startPostgres, type TestPostgres, test } from "../../src/stores/postgres/postgres.fixture.ts";
import { Fleet } from "./fleet.ts";

const NEWER = fileURLToPath(new URL("newer-version.ts", import.meta.url));
const SOON = { timeout: 30_000, interval: 50 };

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off");
});
afterAll(() => postgres.end());

test("[E9] [F39] an older worker does not touch a run in a newer format, and a newer worker continues this run", async () => {
  await using fleet = await new Fleet(await postgres.newStore()).open();
  const { store } = fleet.runtime;
  const admit = async () => (await fleet.runtime.admit({ agent: "buyer", task: "buy it" })).runId;
  const statusOf = async (runId: string) => (await store.runs.get(runId))?.status;
  /** Appends an event in the format of a newer server. */
  const writeNewer = (runId: string) => {
    const payload = { v: 2, id: "note", source: "person", text: "It is urgent." } as const;
    const events = [{ type: "CONTEXT_ADDED", payload }] as const;
    return store.journal.append({ runId, after: Number.MAX_SAFE_INTEGER, events: [...events] });
  };

  const before = await admit();
  await writeNewer(before);
  const older = await fleet.addWorker();
  const during = await admit();
  await expect.poll(() => statusOf(during), SOON).toBe("running");
  await writeNewer(during);
  const ordinary = await admit();
  await expect.poll(() => statusOf(ordinary), SOON).toBe("completed");
  await expect.poll(async () => (await store.leases.workers())[0]?.tooNew, SOON).toBe(2);
  expect(await store.leases.quarantined()).toEqual([]);

  await fleet.addWorker(["--import", NEWER]);
  await expect
    .poll(() => Promise.all([before, during].map(statusOf)), SOON)
    .toEqual(["completed", "completed"]);
  await expect.poll(async () => (await store.leases.workers())[0]?.tooNew, SOON).toBeUndefined();
  for (const runId of [before, during])
    expect(older.said().split(`Run ${runId} is left to a newer version`)).toHaveLength(2);
});
