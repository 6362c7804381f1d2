// Plays the incident with the real runtime, on a copy of this folder. Only the model and the person are simulated.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { EventOf, EventType, JournalEvent } from "../../src/journal/events.ts";
import { type Decision, decideApproval } from "../../src/loop/commands/person-commands.ts";
import { parseScript, type ScriptFile } from "../../src/models/scripted/script.ts";
import { type ApprovalItem, openItems } from "../../src/projections/folds/approvals.ts";
import { runStateProjection } from "../../src/projections/folds/run-state.ts";
import { fold } from "../../src/projections/projection.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../src/runtime/assembly.ts";

export const TEST_COMMAND = "node --test --test-reporter=spec service/checkout.test.js";

const SOURCE = import.meta.dirname;
const NOT_PLAYED = new Set([".cadre", "incident.test.ts", "play.fixture.ts"]);

export interface Stage extends AsyncDisposable {
  folder: string;
  read(path: string): Promise<string>;
  /** Starts a runtime in this folder and stops it when the stage is disposed. `hasty` skips the pauses that the script makes for viewers. */
  runtime(options?: { hasty?: boolean }): Promise<RuntimeAssembly>;
}

export async function setStage(): Promise<Stage> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "cadre-incident-")));
  const folder = join(root, "incident");
  const home = join(root, "home");
  await mkdir(home);
  await cp(SOURCE, folder, { recursive: true, filter: (path) => !NOT_PLAYED.has(basename(path)) });
  const read = (path: string) => readFile(join(folder, path), "utf8");
  const running: RuntimeAssembly[] = [];
  return {
    folder,
    read,
    async runtime({ hasty = true } = {}) {
      const scripts = hasty ? { incident: withoutPauses(await read("incident.script.yaml")) } : {};
      const runtime = await assembleRuntime({ folder, home, env: { HOME: home }, scripts });
      await runtime.start();
      running.push(runtime);
      return runtime;
    },
    async [Symbol.asyncDispose]() {
      for (const runtime of running) await runtime.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

function withoutPauses(yaml: string): ScriptFile {
  const { turns, ...script } = parseScript(yaml, "incident.script.yaml");
  return { ...script, turns: turns.map((turn) => ({ ...turn, delay: 0 })) };
}

/** Starts the agent `oncall` with the task of the example, as `cadre run` would. */
export async function startRun(
  runtime: RuntimeAssembly,
  stage: Stage,
  allow: string[] = [],
): Promise<string> {
  const task = (await stage.read("task.txt")).trim();
  const permissions = { allow, ask: [], deny: [] };
  const { runId } = await runtime.admit({ agent: "oncall", task, attended: true, permissions });
  return runId;
}

/** Answers every open item until the run has ended. Returns the answered items in order. */
export async function attend(
  runtime: RuntimeAssembly,
  runId: string,
  decide: (item: ApprovalItem, nth: number) => Decision,
): Promise<ApprovalItem[]> {
  const asked: ApprovalItem[] = [];
  for (;;) {
    const item = await nextItem(runtime, runId);
    if (!item) return asked;
    asked.push(item);
    await decideApproval(item.id, decide(item, asked.length), "ada", runtime.people);
  }
}

/** Returns the next item that waits for a person, or undefined when the run has ended. */
export async function nextItem({ store }: RuntimeAssembly, runId: string): Promise<ApprovalItem | undefined> {
  for (;;) {
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const unsubscribe = store.journal.onCommit(() => resolve());
    try {
      const state = fold(runStateProjection, await store.journal.read(runId));
      if (state.end) return undefined;
      // An item can be answered only after the store lists it as open.
      const open = new Set((await store.inbox.openItems({ run: runId })).map(({ itemId }) => itemId));
      const item = openItems(state).find(({ itemId }) => open.has(itemId));
      if (item) return item;
      await changed;
    } finally {
      unsubscribe();
    }
  }
}

export const eventsOf = <Type extends EventType>(journal: readonly JournalEvent[], type: Type) =>
  journal.filter((event): event is EventOf<Type> => event.type === type);

/** Returns the journal and the result of a completed run. The store verifies the journal against its hash chain. */
export async function endOf({ store }: RuntimeAssembly, runId: string) {
  const journal = await store.journal.read(runId);
  const last = journal.at(-1)!;
  if (last.type !== "RUN_COMPLETED") throw new Error(`the run ended with ${JSON.stringify(last)}`);
  return { journal, result: last.payload.result };
}

export function countStarted(journal: readonly JournalEvent[], tool: string): number {
  const ids = eventsOf(journal, "TOOL_PROPOSED").filter((event) => event.payload.name === tool);
  const wanted = new Set(ids.map((event) => event.payload.toolCallId));
  return eventsOf(journal, "TOOL_STARTED").filter((event) => wanted.has(event.payload.toolCallId)).length;
}

/** Runs the service's own tests without Cadre. Returns true if they pass. */
export function isGreen(folder: string): boolean {
  const [, ...args] = TEST_COMMAND.split(" ");
  return spawnSync(process.execPath, args, { cwd: folder, env: {} }).status === 0;
}

/** Sends an order to the service over HTTP. Returns the response and the log output. */
export async function placeOrder(
  folder: string,
  order: unknown,
): Promise<{ status: number; body: unknown; log: string }> {
  const env = { PORT: "0" };
  const server = spawn(process.execPath, ["service/server.js"], { cwd: folder, env });
  const lines: string[] = [];
  try {
    const output = createInterface({ input: server.stdout }).on("line", (line) => lines.push(line));
    const [first] = (await once(output, "line")) as [string];
    const port = /port (\d+)$/.exec(first)![1];
    const body = JSON.stringify(order);
    const headers = { connection: "close" };
    const response = await fetch(`http://127.0.0.1:${port}/checkout`, { method: "POST", body, headers });
    const answer = { status: response.status, body: await response.json() };
    const closed = once(output, "close");
    server.kill("SIGTERM");
    await closed;
    return { ...answer, log: lines.join("\n") };
  } finally {
    server.kill("SIGKILL");
  }
}
