// `npm run bench usage` measures how long a usage report over 100,000 runs takes: the first time, again, after a restart, and
// after more runs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readUsage } from "../src/api/routes/usage.ts";
import { systemClock } from "../src/clock.ts";
import type { EventBody } from "../src/journal/events.ts";
import { agentThought, runEnded, startPayload } from "../src/stores/contract/kit.contract.ts";
import { openSqliteStore } from "../src/stores/sqlite/store.ts";
import type { Store } from "../src/stores/store.ts";

const TREES = 50_000;
const AT_ONCE = 500;
const DAY = 86_400_000;

export async function usage(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-bench-usage-"));
  const path = join(folder, "cadre.db");
  const open = () => openSqliteStore({ path, clock: systemClock });
  let store = open();
  try {
    for (let made = 0; made < TREES; made += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => makeTree(store, made + i)));
    console.log(`${2 * TREES} runs in ${TREES} trees, ${await store.journal.position()} events`);
    await timed("first report, nothing kept yet", store);
    await timed("again", store);
    await store.close();
    store = open();
    await timed("after a restart", store);
    await makeTree(store, TREES);
    await timed("after one more tree", store);
    await timed("of the last hour", store, Date.now() - 3_600_000);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

async function timed(what: string, store: Store, since?: number): Promise<void> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const { byAgent } = await readUsage(store, { every: DAY, ...(since === undefined ? {} : { since }) });
  const runs = byAgent.reduce((sum, each) => sum + each.runs, 0);
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${what}: ${Math.round(performance.now() - began)} ms, ${Math.round((user + system) / 1_000)} ms of CPU (${runs} runs)`,
  );
}

/** A lead and a worker below it, with two turns each, in as few appends as possible. */
async function makeTree(store: Store, number: number): Promise<void> {
  const [root, child] = [`r${String(number).padStart(8, "0")}`, `c${String(number).padStart(8, "0")}`];
  await store.runs.start(root, startPayload({ agent: `lead-${number % 5}`, rootRunId: root }));
  const lead = (await store.leases.acquire(root, "bench"))!;
  const writer = { worker: "bench", epoch: lead.epoch };
  const start = startPayload({
    agent: `worker-${number % 7}`,
    rootRunId: root,
    parentRunId: root,
    parentKey: "m1.0",
    depth: 1,
    trigger: "delegation",
  });
  const limits = { children: 9, runs: 9, concurrent: 1_000_000 };
  await store.journal.append({
    runId: root,
    writer,
    after: 1,
    events: [...turn("m1", "a/big"), started(child, start.agent)],
    spawn: { runId: child, start, events: [], limits, slot: "free" },
  });
  const below = (await store.leases.acquire(child, "bench"))!;
  const events = [...turn("m1", "b/small"), ...turn("m2", "b/small"), runEnded()];
  await store.journal.append({
    runId: child,
    writer: { worker: "bench", epoch: below.epoch },
    after: 1,
    events,
  });
  await store.journal.append({ runId: root, writer, after: 4, events: [...turn("m2", "a/big"), runEnded()] });
}

const turn = (callId: string, model: string): EventBody[] => [
  { type: "MODEL_CALL_STARTED", payload: { callId, model } },
  agentThought(callId),
];

const started = (child: string, agent: string): EventBody => ({
  type: "CHILD_RUN_STARTED",
  payload: { child_run_id: child, agent_type: agent, task: "x", trigger: "delegation", key: "m1.0" },
});
