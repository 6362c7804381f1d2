// A life is one execution of a scenario in a folder, until the root run has ended.
// A boundary is a point before or after an append or an effect.
// The process of a life counts the boundaries, and kills itself with SIGKILL at the requested one.

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { TERMINAL_TYPES } from "../../src/journal/events.ts";
import type { ScriptedRequest, ScriptedTurn } from "../../src/models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../src/runtime/assembly.ts";
import { overrideStore } from "../../src/stores/override-store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import type { Store } from "../../src/stores/store.ts";
import { beThePerson } from "../support/honest-person.ts";
import { oracleTools } from "../support/oracle.ts";
import { SCENARIOS, type ScenarioName, script } from "./scenario.ts";

type Answer = (request: ScriptedRequest) => ScriptedTurn | undefined;

/** A boundary, named by its number, or by the start of its name and a count: `before append TOOL_RESULT#2`. Numbers depend on the timing of other writes. */
export type KillAt = number | string;

/** Runs one life. If `killAt` is 0, it runs to the end and logs no boundaries. `disturb` can make the model fail. */
export async function live(
  name: ScenarioName,
  folder: string,
  killAt: KillAt,
  disturb: (answer: Answer) => Answer = (answer) => answer,
): Promise<void> {
  const scenario = SCENARIOS[name];
  const { task, root, agents, files = {}, project = {}, config } = scenario;
  const oracle = join(folder, "effects.log");
  mkdirSync(join(folder, "agents"), { recursive: true });
  for (const [agent, text] of Object.entries(agents))
    writeFileSync(join(folder, "agents", `${agent}.md`), text);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, "agents", file), text);
  for (const [path, text] of Object.entries(project)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (config !== undefined) writeFileSync(join(folder, "cadre.yaml"), config);
  const death = deathAt(killAt, join(folder, "boundaries.log"));
  const store = countBoundaries(
    openSqliteStore({ path: join(folder, "cadre.db"), clock: systemClock }),
    death,
  );
  const said = script(scenario);
  const model: Answer = (request) => {
    const { runId: of, turn, attempt } = request;
    appendFileSync(join(folder, "model.log"), `${of} ${turn} ${attempt}\n`);
    return said(request);
  };
  const runtime = await assembleRuntime({
    folder,
    env: { CADRE_TRUST: "1" },
    home: join(folder, "home"),
    store,
    scripts: { crash: disturb(model) },
    tools: oracleTools(oracle, {
      before: (tool) => boundary(`before ${tool}`, death),
      after: (tool) => boundary(`after ${tool}`, death),
    }),
  });
  const ended = endsIn(store, runtime, oracle);
  const alive = setInterval(() => {}, 1_000);
  const { runId } = await runtime.admit({ agent: root, task, attended: true }, "crash-suite");
  await runtime.start();
  await ended(runId);
  if (scenario.fork) await ended((await runtime.fork(runId, scenario.fork, "crash-fork")).runId);
  clearInterval(alive);
  await runtime.stop();
  await store.close();
}

interface Death {
  /** Counts one more boundary. Returns true if the process must be killed at this boundary. */
  isLast(name: string): boolean;
  isNear(): boolean;
  /** Waits until all earlier writes are on disk, and then kills the process. Later writes are lost. */
  die(): Promise<never>;
  inFlight: Set<Promise<unknown>>;
}

function deathAt(killAt: KillAt, log: string): Death {
  const inFlight = new Set<Promise<unknown>>();
  const [wanted = "", times] = typeof killAt === "string" ? killAt.split("#") : [];
  let passed = 0;
  let met = 0;
  let dying = false;
  return {
    inFlight,
    isNear: () => dying,
    isLast(name) {
      passed++;
      if (killAt === 0) return false;
      appendFileSync(log, `${passed} ${name}\n`);
      if (wanted !== "" && name.startsWith(wanted)) return ++met === Number(times);
      return passed === killAt;
    },
    async die() {
      dying = true;
      await Promise.allSettled(inFlight);
      process.kill(process.pid, "SIGKILL");
      return new Promise(() => {});
    },
  };
}

async function boundary(name: string, death: Death): Promise<void> {
  if (death.isLast(name)) await death.die();
}

function countBoundaries(store: Store, death: Death): Store {
  const { runs, journal, leases } = store;
  const watch =
    <Given extends unknown[], T>(name: string, call: (...args: Given) => Promise<T>) =>
    async (...args: Given): Promise<T> => {
      const types =
        name === "append"
          ? ` ${(args[0] as { events: { type: string }[] }).events.map((event) => event.type).join()}`
          : "";
      if (death.isNear()) return new Promise(() => {});
      if (death.isLast(`before ${name}${types}`)) await death.die();
      const answer = call(...args);
      death.inFlight.add(answer);
      try {
        return await answer;
      } finally {
        death.inFlight.delete(answer);
        await boundary(`after ${name}${types}`, death);
      }
    };
  return overrideStore(store, {
    runs: { start: watch("start", runs.start) },
    journal: { append: watch("append", journal.append) },
    leases: {
      acquire: watch("acquire", leases.acquire),
      release: watch("release", leases.release),
      heartbeat: watch("heartbeat", leases.heartbeat),
    },
  });
}

/** Returns a function that waits for the end of a run and answers every open item meanwhile. */
function endsIn(store: Store, runtime: RuntimeAssembly, oracle: string): (runId: string) => Promise<void> {
  let onEnd: (runId: string) => void = () => {};
  store.journal.onCommit((events) => {
    for (const { runId, type } of events) if (TERMINAL_TYPES.has(type)) onEnd(runId);
    if (events.some((event) => event.type === "RUN_SUSPENDED")) void beThePerson(runtime, oracle);
  });
  return async (runId) => {
    const ended = new Promise<void>((resolve) => {
      onEnd = (other) => other === runId && resolve();
    });
    await beThePerson(runtime, oracle);
    if ((await store.runs.get(runId))?.endedAt === undefined) await ended;
  };
}
