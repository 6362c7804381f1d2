// One worker of `npm run bench scale`: `node scale-worker.ts <folder>`. CADRE_* variables select store and engine. It drives runs
// like any other worker and executes the orders of its parent process. The first worker also creates the load.

import { join } from "node:path";
import { z } from "zod";
import type { RunId } from "../src/ids.ts";
import { TERMINAL_TYPES } from "../src/journal/events.ts";
import type { Script } from "../src/models/scripted/script.ts";
import { assembleRuntime } from "../src/runtime/assembly.ts";
import { defineTool } from "../src/tools/tool.ts";

export type Order =
  /** Starts all runs at the same time, each with this many steps. `delay` is the latency of its model in milliseconds. */
  | { do: "steps"; runs: number; steps: number; delay: number }
  /** Starts runs of one step one after the other, on idle workers. */
  | { do: "pick up"; times: number }
  /** Creates runs that wait for a person. */
  | { do: "suspend"; runs: number }
  /** Appends external events to runs that wait for a person. */
  | { do: "append"; runs: number; each: number }
  /** Sends wakes for runs that do not exist. */
  | { do: "wake"; times: number }
  | { do: "cpu" };

/** The result: operations per second, or milliseconds of each operation. */
export interface Done {
  perSecond?: number;
  times?: number[];
  cpu?: number;
}

export const CONCURRENCY = 16;

const [folder = ""] = process.argv.slice(2);
const script: Script = ({ agent, turn, task }) => {
  const [steps = 1, delay = 0] = task.split(" ").map(Number);
  const calls = [{ tool: agent === "asker" ? "pay" : "add", input: { a: turn, b: 1 } }];
  return { ...(turn <= steps ? { calls } : { text: "Done." }), delay };
};
const tool = (name: string, effect: "read" | "unsafe") =>
  defineTool({
    name,
    description: "Adds two numbers.",
    input: z.object({ a: z.number(), b: z.number() }),
    effect,
    reaches: [],
    execute: async ({ a, b }) => ({ output: { sum: a + b } }),
  });
const runtime = await assembleRuntime({
  folder,
  env: process.env,
  home: join(folder, "home"),
  scripts: { bench: script },
  tools: [tool("add", "read"), tool("pay", "unsafe")],
  concurrency: CONCURRENCY,
  onProblem: ({ message, error }) => console.error(message, error),
});
const { store } = runtime;
const { reached, waiting } = watch();
await runtime.start();
process.on("message", (order) => void perform(order as Order).then((done) => process.send!(done)));
process.on("disconnect", () => process.exit());
process.send!("ready");

async function perform(order: Order): Promise<Done> {
  switch (order.do) {
    case "steps":
      return steps(order);
    case "pick up":
      return pickUp(order.times);
    case "suspend":
      return timed(order.runs, () => suspended(order.runs));
    case "append":
      return append(order);
    case "wake":
      return timed(order.times, () =>
        Promise.all(Array.from({ length: order.times }, (_, i) => runtime.people.wake(`none-${i}`))),
      );
    case "cpu": {
      const { user, system } = process.cpuUsage();
      return { cpu: (user + system) / 1_000 };
    }
  }
}

async function steps({ runs, steps: each, delay }: Extract<Order, { do: "steps" }>): Promise<Done> {
  return timed(runs * each, async () => {
    const begun = Array.from({ length: runs }, () => run("adder", `${each} ${delay}`, "ended"));
    await Promise.all(begun);
  });
}

/** The time from the commit that admits a run to the commit that starts its first model call, by the store's clock. */
async function pickUp(times: number): Promise<Done> {
  const waited: number[] = [];
  for (let i = 0; i < times; i++) {
    const events = await store.journal.read(await run("adder", "1 0", "ended"));
    const begun = events.find(({ type }) => type === "MODEL_CALL_STARTED")!;
    waited.push(begun.ts - events[0]!.ts);
  }
  return { times: waited };
}

async function append({ runs, each }: Extract<Order, { do: "append" }>): Promise<Done> {
  const there = await suspended(runs);
  return timed(runs * each, () =>
    Promise.all(
      there.map(async (runId) => {
        for (let i = 0; i < each; i++) {
          const payload = { id: `beat ${i}`, code: "BENCH", message: "An event of the bench.", fatal: false };
          await store.journal.append({ runId, after: SEEN_ALL, events: [{ type: "SYSTEM_ERROR", payload }] });
        }
      }),
    ),
  );
}

const suspended = (runs: number): Promise<RunId[]> =>
  Promise.all(Array.from({ length: runs }, () => run("asker", "1 0", "suspended")));

const SEEN_ALL = Number.MAX_SAFE_INTEGER;

type Mark = "ended" | "suspended";

/** Resolves when the run is there, whichever worker drives it. */
async function run(agent: string, task: string, until: Mark): Promise<RunId> {
  const { runId } = await runtime.admit({ agent, task, attended: true, limits: { maxTurns: 1_000 } });
  const name = `${runId} ${until}`;
  if (!reached.has(name)) await new Promise<void>((resolve) => waiting.set(name, resolve));
  waiting.delete(name);
  reached.delete(name);
  return runId;
}

function watch(): { reached: Set<string>; waiting: Map<string, () => void> } {
  const found = { reached: new Set<string>(), waiting: new Map<string, () => void>() };
  store.journal.onCommit((events) => {
    for (const { runId, type } of events) {
      const mark: Mark | undefined = TERMINAL_TYPES.has(type)
        ? "ended"
        : type === "RUN_SUSPENDED"
          ? "suspended"
          : undefined;
      if (!mark) continue;
      found.reached.add(`${runId} ${mark}`);
      found.waiting.get(`${runId} ${mark}`)?.();
    }
  });
  return found;
}

async function timed(count: number, work: () => Promise<unknown>): Promise<Done> {
  const began = performance.now();
  await work();
  return { perSecond: (count / (performance.now() - began)) * 1_000 };
}
