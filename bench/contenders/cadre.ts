// Cadre itself: the journal is in SQLite, and every intent and outcome is committed with an fsync before the run continues.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { systemClock } from "../../src/clock.ts";
import { DEFAULT_LIMITS } from "../../src/journal/definition.ts";
import { TERMINAL_TYPES } from "../../src/journal/events.ts";
import type { Script } from "../../src/models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../src/runtime/assembly.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { type About, add, INSTRUCTIONS, LAST_WORDS, type Scenario, TASK, TREE } from "../contender.ts";

export const about: About = {
  packages: [],
  durability: "SQLite WAL, synchronous=FULL (fsync per commit), group commit",
};

let opened: { runtime: RuntimeAssembly; ended: Map<string, () => void> } | undefined;

export async function run({ runs, steps, folder }: Scenario): Promise<{ steps: number }> {
  opened ??= await open(folder);
  const done = await Promise.all(Array.from({ length: runs }, () => runOnce(steps, opened!)));
  return { steps: done.reduce((sum, count) => sum + count, 0) };
}

export async function close(): Promise<void> {
  await opened?.runtime.stop();
  opened = undefined;
}

export async function tree(folder: string): Promise<void> {
  opened ??= await open(folder);
  const { runtime, ended } = opened;
  const { runId } = await runtime.admit({ agent: "root", task: TASK, limits: { maxToolCallsPerTurn: 20 } });
  await new Promise<void>((resolve) => {
    ended.set(runId, resolve);
  });
  ended.delete(runId);
  const { runs } = await runtime.store.runs.list({ root: runId, limit: 200 });
  const done = runs.filter(({ status }) => status === "completed").length;
  if (done !== 100) throw new Error(`${done} of 100 runs are completed`);
}

/** `commits per step`, and `due-scan ms` over 100,000 suspended runs. */
export async function extras(folder: string): Promise<Record<string, number>> {
  return {
    "commits per step": await commitsPerStep(folder),
    "due-scan ms": await dueScan(join(folder, "many.db")),
  };
}

async function open(folder: string) {
  mkdirSync(join(folder, "agents"), { recursive: true });
  writeFileSync(
    join(folder, "agents", "adder.md"),
    `---\ndescription: adds\nmodel: scripted/bench\ntools: [add]\n---\n${INSTRUCTIONS}\n`,
  );
  writeFileSync(join(folder, "cadre.yaml"), "concurrency: 200\nlimits: { tree: { maxRuns: 200 } }\n");
  for (const [name, keys] of Object.entries(TREE_AGENTS)) {
    writeFileSync(
      join(folder, "agents", `${name}.md`),
      `---\ndescription: adds\nmodel: scripted/bench\ntools: []\n${keys}\n---\n${INSTRUCTIONS}\n`,
    );
  }
  const runtime = await assembleRuntime({
    folder,
    env: {},
    home: join(folder, "home"),
    scripts: { bench: script },
    tools: [addTool],
    concurrency: 1_000,
  });
  const ended = new Map<string, () => void>();
  runtime.store.journal.onCommit((events) => {
    for (const event of events) if (TERMINAL_TYPES.has(event.type)) ended.get(event.runId)?.();
  });
  await runtime.start();
  return { runtime, ended };
}

const TREE_AGENTS = {
  root: "agents: [mid]\ndelegation: { mode: parallel, maxParallel: 20 }",
  mid: "agents: [leaf]\ndelegation: { mode: parallel, maxParallel: 20 }",
  leaf: "",
};

/** The scripted model waits for one turn of the event loop in every call. */
const script: Script = ({ agent, turn, task }) => {
  if (agent === "adder") return addition(turn, task);
  const starts = turn === 1 ? (TREE as Record<string, { of: string; count: number }>)[agent] : undefined;
  const usage = { input: 10, output: 5 };
  if (!starts) return { text: LAST_WORDS, usage };
  const calls = Array.from({ length: starts.count }, (_, index) => ({
    tool: "delegate",
    input: { agent: starts.of, task: `part ${index}` },
  }));
  return { calls, usage };
};

const addition = (turn: number, task: string) =>
  turn <= Number(task.slice(TASK.length))
    ? { calls: [{ tool: "add", input: { a: turn, b: 1 } }], usage: { input: 10, output: 5 } }
    : { text: LAST_WORDS, usage: { input: 10, output: 5 } };

const addTool = defineTool({
  name: "add",
  description: "Adds two numbers.",
  input: z.object({ a: z.number(), b: z.number() }),
  effect: "read",
  reaches: [],
  execute: async (input) => ({ output: add(input) }),
});

async function runOnce(steps: number, { runtime, ended }: NonNullable<typeof opened>): Promise<number> {
  const request = { agent: "adder", task: `${TASK} ${steps}`, limits: { maxTurns: steps + 5 } };
  const { runId } = await runtime.admit(request);
  const row = await new Promise<void>((resolve) => {
    ended.set(runId, resolve);
  }).then(() => runtime.store.runs.get(runId));
  ended.delete(runId);
  if (row?.summary !== LAST_WORDS) throw new Error(`cadre stopped before its last words: ${row?.summary}`);
  return row.usage.toolCalls;
}

async function commitsPerStep(folder: string): Promise<number> {
  const steps = 100;
  await run({ runs: 1, steps: 1, folder });
  let commits = 0;
  const unsubscribe = opened!.runtime.store.journal.onCommit(() => commits++);
  await run({ runs: 1, steps, folder });
  unsubscribe();
  await close();
  return commits / steps;
}

async function dueScan(path: string): Promise<number> {
  const store = openSqliteStore({ path, clock: systemClock });
  const worker = "bench";
  await store.leases.heartbeat(worker, []);
  for (let batch = 0; batch < 100; batch++) {
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => park(`r${batch}x${index}`)));
  }
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const from = performance.now();
    const due = await store.leases.due(Date.now(), 1_000);
    times.push(performance.now() - from);
    if (due.length > 0) throw new Error("a suspended run must not be due");
  }
  await store.close();
  return times.sort((a, b) => a - b)[10]!;

  async function park(runId: string): Promise<void> {
    await store.runs.start(runId, {
      agent: "adder",
      definition: "none",
      kind: "main",
      depth: 0,
      trigger: "user",
      task: TASK,
      mode: "auto",
      attended: false,
      rootRunId: runId,
      workspace: ".",
      limits: DEFAULT_LIMITS,
      approvals: { onTimeout: "reject", unattended: "park" },
    });
    const lease = await store.leases.acquire(runId, worker);
    const waitingOn = { kind: "approval" as const, items: ["m1.0"] };
    await store.journal.append({
      runId,
      writer: lease!,
      after: 1,
      events: [{ type: "RUN_SUSPENDED", payload: { waitingOn }, key: "suspended/1" }],
      guard: "signals",
      rest: { wakeAt: undefined },
    });
  }
}
