// Prints the product files that one step of a run passes through, as a JSON list. Rule AR19 counts these files.
// One step is: a wake in the middle of a run, a model call, a tool call, and everything up to the request of the second model call.
// V8 counts the calls of every function, so a file is in the list if at least one of its functions was called during the step.
// The model is scripted, the tool belongs to the test, and the store is SQLite.

import { type Profiler, Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { createLocalEngine } from "../../src/engines/local.ts";
import { drive } from "../../src/loop/drive/drive.ts";
import { makeWorld } from "../support/world.ts";

/** The service that connects a process's engine with its drives. Its timers would change the count, so it is not started but always listed. */
const SERVICES = "src/runtime/start-services.ts";

/** The run stops in its third turn, as if its process were stopped, and is woken again. */
const STOPS_IN = 3;

const stop = new AbortController();
let isMeasuring = false;
const measured = Promise.withResolvers<string[]>();
const inspector = new Session();
inspector.connect();
inspector.post("Profiler.enable");

const world = await makeWorld({
  idle: true,
  script: ({ turn, task }) => {
    if (task !== "warm up" && turn === STOPS_IN) stop.abort();
    if (isMeasuring && turn === STOPS_IN + 2) measured.resolve(calledFiles());
    if (turn > STOPS_IN + 2) return { report: { summary: "Done." } };
    return { text: "Look.", calls: [{ tool: "look", input: { what: `part ${turn}` } }] };
  },
});

// This run triggers everything that happens only once in a process.
await world.drive(await world.run("warm up"));

const runId = await world.run("be measured");
await drive(runId, world.runtime.parts, stop.signal);

const engine = createLocalEngine({ concurrency: 1, onError: (error) => measured.reject(error) });
await engine.start((id, signal) => drive(id, world.runtime.parts, signal));
inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
isMeasuring = true;
await engine.wake(runId);
process.stdout.write(JSON.stringify(await measured.promise));
await engine.stop();
await world.close();

/** The session is in the same thread, so its answers arrive before `post` returns. */
function calledFiles(): string[] {
  const root = new URL("../..", import.meta.url).href;
  const files = new Set([SERVICES]);
  inspector.post("Profiler.takePreciseCoverage", (error, found?: Profiler.TakePreciseCoverageReturnType) => {
    if (error) return measured.reject(error);
    for (const { url, functions } of found?.result ?? []) {
      const path = url.startsWith(root) ? fileURLToPath(url).slice(fileURLToPath(root).length) : "";
      if (path.startsWith("src/") && functions.some(isCalled)) files.add(path.replaceAll("\\", "/"));
    }
  });
  inspector.post("Profiler.stopPreciseCoverage");
  return [...files].toSorted();
}

/** A module that is loaded during the step counts only if one of its functions is called: its own code has no name. */
function isCalled({ functionName, ranges: [whole] }: Profiler.FunctionCoverage): boolean {
  return whole !== undefined && whole.count > 0 && !(functionName === "" && whole.startOffset === 0);
}
