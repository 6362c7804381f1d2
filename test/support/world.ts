// A test project in a temporary folder, with agents, a scripted model, tools that record effects, and a real SQLite store.
// The world drives its runs as `cadre up` does. With `idle`, runs continue only when the test calls `drive`, and no timer runs.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import type { EventType, JournalEvent } from "../../src/journal/events.ts";
import { drive } from "../../src/loop/drive/drive.ts";
import type { Script } from "../../src/models/scripted/script.ts";
import { openItems } from "../../src/projections/folds/approvals.ts";
import { type RunState, runStateProjection } from "../../src/projections/folds/run-state.ts";
import { fold } from "../../src/projections/projection.ts";
import { type AssemblyOptions, assembleRuntime, type RuntimeAssembly } from "../../src/runtime/assembly.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import type { AnyTool } from "../../src/tools/tool.ts";
import { type Intercept, type MortalStore, mortalStore } from "./mortal-store.ts";
import { oracleTools } from "./oracle.ts";
import { scratchFolder } from "./scratch.ts";

export interface World {
  folder: string;
  /** Path of the file in which the effect oracle records effects. */
  oracle: string;
  runtime: RuntimeAssembly;
  /** Stops the runtime if it is alive. Then starts another runtime on the same folder. */
  restart(options?: Partial<WorldOptions>): Promise<RuntimeAssembly>;
  /** Simulates the death of the process: the store stops writing. The test continues with `restart`. */
  die(): void;
  /** Resolves when the current runtime has died. */
  dead(): Promise<void>;
  /** If the run is due, drives it until it rests or ends. */
  drive(runId: string): Promise<RunState>;
  run(task: string, request?: Partial<Parameters<RuntimeAssembly["admit"]>[0]>): Promise<string>;
  state(runId: string): Promise<RunState>;
  events(runId: string): Promise<JournalEvent[]>;
  /** Resolves with the run's first event of one of these types, as soon as there is one. */
  seen(runId: string, ...types: EventType[]): Promise<JournalEvent>;
  /** Resolves when the run has ended, or is suspended until a person acts. */
  settled(runId: string): Promise<RunState>;
  close(): Promise<void>;
}

export interface WorldOptions extends Partial<AssemblyOptions> {
  script: Script;
  model?: string;
  /** Front matter lines of the agent, except its model. */
  agent?: string;
  /** Front matter lines of further agents, except the model. The key is the agent's name. */
  cast?: Record<string, string>;
  /** Further files. The key is the path relative to the project. */
  files?: Record<string, string>;
  /** The text of the project's cadre.yaml. */
  config?: string;
  /** Further tools, in addition to the oracle's tools. */
  more?: AnyTool[];
  /** Whether runs continue only when the test calls `drive`. */
  idle?: boolean;
  /** Called for every append of this runtime. `restart` does not keep this function; the test passes it again. */
  intercept?: Intercept;
}

const ENDS: EventType[] = ["RUN_COMPLETED", "RUN_FAILED", "RUN_CANCELLED"];

export async function makeWorld(options: WorldOptions): Promise<World> {
  const {
    script,
    model = "scripted/test",
    agent = "",
    cast = {},
    files = {},
    config,
    more: tools = [],
    ...always
  } = options;
  const folder = scratchFolder("cadre-test-");
  const oracle = join(folder, "effects.log");
  mkdirSync(join(folder, "agents"));
  for (const [name, keys] of Object.entries({ tester: agent, ...cast })) {
    writeFileSync(
      join(folder, "agents", `${name}.md`),
      `---\ndescription: ${name === "tester" ? "tests" : `does ${name}`}\nmodel: ${model}\n${keys}\n---\nYou test.\n`,
    );
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (config !== undefined) writeFileSync(join(folder, "cadre.yaml"), config);
  let mortal: MortalStore;
  const open = async (given: Partial<WorldOptions>): Promise<RuntimeAssembly> => {
    const { idle, intercept, clock = systemClock, ...more } = given;
    mortal = mortalStore(openSqliteStore({ path: join(folder, ".cadre", "cadre.db"), clock }), intercept);
    const runtime = await assembleRuntime({
      folder,
      env: { CADRE_TRUST: "1" },
      home: join(folder, "home"),
      scripts: { test: script },
      tools: [...oracleTools(oracle), ...tools],
      clock,
      store: mortal.store,
      ...more,
    });
    runtime.parts.trialMs = 50;
    if (!idle) await runtime.start();
    return runtime;
  };
  const stop = async (): Promise<void> => {
    await world.runtime.stop();
    await mortal.store.close();
  };
  const world: World = {
    folder,
    oracle,
    runtime: await open(always),
    async restart(more) {
      await stop();
      world.runtime = await open({ ...always, intercept: undefined, ...more } as Partial<WorldOptions>);
      return world.runtime;
    },
    die: () => mortal.die(),
    dead: () => mortal.dead,
    async drive(runId) {
      await drive(runId, world.runtime.parts, new AbortController().signal);
      return world.state(runId);
    },
    async run(task, request = {}) {
      const { runId } = await world.runtime.admit({ agent: "tester", task, attended: true, ...request });
      return runId;
    },
    state: async (runId) => fold(runStateProjection, await world.runtime.store.journal.read(runId)),
    events: (runId) => world.runtime.store.journal.read(runId),
    seen: (runId, ...types) =>
      until(world, runId, (events) => events.find((event) => types.includes(event.type))),
    settled: (runId) =>
      until(world, runId, (events) => {
        const state = fold(runStateProjection, events);
        const last = events[events.length - 1]!;
        return state.end || (last.type === "RUN_SUSPENDED" && state.status === "suspended")
          ? state
          : undefined;
      }),
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** Calls `find` with the journal, now and after every commit. Returns the first result that is not undefined. */
async function until<T>(
  world: World,
  runId: string,
  find: (events: JournalEvent[]) => T | undefined,
): Promise<T> {
  const { store } = world.runtime;
  let news = (): void => {};
  const unsubscribe = store.journal.onCommit(() => news());
  try {
    for (;;) {
      const next = new Promise<void>((resolve) => (news = resolve));
      const events = await store.journal.read(runId);
      const found = events.length > 0 ? find(events) : undefined;
      if (found !== undefined) return found;
      await next;
    }
  } finally {
    unsubscribe();
  }
}

export const isEnd = (type: EventType): boolean => ENDS.includes(type);

/** The ids of a run's open approvals, in the order of the run's calls. */
export async function openApprovalIds(world: World, runId: string): Promise<string[]> {
  return openItems(await world.state(runId)).map((item) => item.id);
}
