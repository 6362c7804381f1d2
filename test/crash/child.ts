// One life of the process under test: `node child.ts <scenario> <folder> <kill at>`. Counts every boundary it passes,
// before and after each append and each effect, and kills itself with SIGKILL at the one it was told. Ends with 0 when
// the root has.

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { TERMINAL_TYPES } from "../../src/journal/events.ts";
import type { Script } from "../../src/models/script.ts";
import { createRuntime } from "../../src/runtime.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import type { Store } from "../../src/stores/store.ts";
import { beThePerson } from "../support/honest-person.ts";
import { oracleTools } from "../support/oracle.ts";
import { SCENARIOS, type ScenarioName, script } from "./scenario.ts";

const [name = "run", folder = "", killAt = "0"] = process.argv.slice(2);
const scenario = SCENARIOS[name as ScenarioName];
const { task, root, agents, files = {} } = scenario;
const said = script(scenario);
const oracle = join(folder, "effects.log");
let passed = 0;
const inFlight = new Set<Promise<unknown>>();

/** True at the boundary that this life ends at. */
function isLast(name: string): boolean {
  passed++;
  if (Number(killAt) === 0) return false;
  appendFileSync(join(folder, "boundaries.log"), `${passed} ${name}\n`);
  return passed === Number(killAt);
}

let dying = false;

/** What was queued before this boundary is on disk; what comes after it is not. */
async function die(): Promise<never> {
  dying = true;
  await Promise.allSettled(inFlight);
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

async function boundary(name: string): Promise<void> {
  if (isLast(name)) await die();
}

const WATCHED = ["start", "append", "acquire", "release", "heartbeat"] as const;

function watched(store: Store): Store {
  const call =
    (name: (typeof WATCHED)[number]) =>
    async (...args: unknown[]): Promise<unknown> => {
      const types =
        name === "append"
          ? ` ${(args[0] as { events: { type: string }[] }).events.map((event) => event.type).join()}`
          : "";
      if (dying) return new Promise(() => {});
      if (isLast(`before ${name}${types}`)) await die();
      const answer = (store[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      inFlight.add(answer);
      try {
        return await answer;
      } finally {
        inFlight.delete(answer);
        await boundary(`after ${name}${types}`);
      }
    };
  const overrides = Object.fromEntries(WATCHED.map((name) => [name, call(name)]));
  return new Proxy(store, {
    get: (target, key) => {
      const value = overrides[key as string] ?? Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const model: Script = (request) => {
  const { runId: of, turn, attempt } = request;
  appendFileSync(join(folder, "model.log"), `${of} ${turn} ${attempt}\n`);
  return said(request);
};

mkdirSync(join(folder, "agents"), { recursive: true });
for (const [name, text] of Object.entries(agents)) writeFileSync(join(folder, "agents", `${name}.md`), text);
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "agents", name), text);
const store = watched(openSqliteStore({ path: join(folder, "cadre.db"), clock: systemClock }));
const runtime = await createRuntime({
  folder,
  env: { CADRE_TRUST: "1" },
  home: join(folder, "home"),
  store,
  scripts: { crash: model },
  tools: oracleTools(oracle, {
    before: (tool) => boundary(`before ${tool}`),
    after: (tool) => boundary(`after ${tool}`),
  }),
});
let onEnd: (runId: string) => void = () => {};
store.onCommit((events) => {
  for (const { runId, type } of events) if (TERMINAL_TYPES.has(type)) onEnd(runId);
  if (events.some((event) => event.type === "RUN_SUSPENDED")) void beThePerson(runtime, oracle);
});

async function seeEnd(runId: string): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    onEnd = (other) => other === runId && resolve();
  });
  await beThePerson(runtime, oracle);
  if ((await store.run(runId))?.endedAt === undefined) await ended;
}

const alive = setInterval(() => {}, 1_000);
const { runId } = await runtime.admit({ agent: root, task, attended: true }, "crash-suite");
await runtime.start();
await seeEnd(runId);
if (scenario.fork) await seeEnd((await runtime.fork(runId, scenario.fork, "crash-fork")).runId);
clearInterval(alive);
await runtime.stop();
await store.close();
