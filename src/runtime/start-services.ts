// Starts the background services of a runtime: driving runs, webhooks, traces and the alive file.

import { otlpSettings } from "../config/otlp.ts";
import { startDueScan } from "../engines/due-scan.ts";
import type { Engine } from "../engines/engine.ts";
import { startHeartbeat } from "../engines/heartbeat.ts";
import type { RunId } from "../ids.ts";
import { TERMINAL_TYPES } from "../journal/events.ts";
import type { Mask } from "../journal/masking/mask.ts";
import { checkOnRuns } from "../loop/drive/check-on-runs.ts";
import { drive } from "../loop/drive/drive.ts";
import type { LoopParts } from "../loop/parts.ts";
import { repeat } from "../repeat.ts";
import { digest } from "../stores/hashes.ts";
import type { PoolFilter, Store, WorkerCard } from "../stores/store.ts";
import { startTracing } from "../telemetry/tracing.ts";
import { startTriggers } from "../triggers/scheduler.ts";
import type { Notifier } from "../webhooks/notifier.ts";
import { touchWhileAlive } from "./alive-file.ts";

export interface ServiceParts {
  driving: DrivingParts;
  webhooks: Notifier;
  /** The schedules and hooks whose runs this process starts. Empty if it starts none. */
  triggers: readonly { round(): Promise<void> }[];
  mask: Mask;
  env: Readonly<Record<string, string | undefined>>;
  version: string;
}

/** Starts all services or none. Returns the function that stops them. Tracing stops last, so that traces include the last steps. */
export async function startServices(services: ServiceParts): Promise<() => Promise<void>> {
  const { driving, webhooks, triggers, mask, env, version } = services;
  const { store, worker } = driving.parts;
  const stopAlive = touchWhileAlive(env["CADRE_ALIVE_FILE"]);
  const stopTracing = await startTracing({
    ...{ store, mask, digest, version, holder: worker },
    otlp: otlpSettings(env),
    onProblem: driving.report,
  }).catch((error: unknown) => {
    stopAlive();
    throw error;
  });
  const stopDriving = await webhooks
    .register()
    .then(() => startDriving(driving))
    .catch(async (error: unknown) => {
      stopAlive();
      // An error from stopping is ignored, because the error that prevented the start is more useful.
      await stopTracing().catch(() => {});
      throw error;
    });
  const stopWebhooks = webhooks.start();
  const ticking = startTriggers(triggers, (error) =>
    driving.report({ message: "A schedule or a hook could not be served; it is tried again.", error }),
  );
  return async () => {
    await ticking.stop();
    await stopDriving();
    await stopWebhooks();
    await stopTracing();
    stopAlive();
  };
}

const LOOK_AFTER_MS = 60_000;

export interface DrivingParts {
  engine: Engine;
  parts: LoopParts;
  report(problem: { message: string; error: unknown }): void;
  /** Called whenever the store has accepted a heartbeat. */
  recordHeartbeat(): void;
  /** Selects the runs to drive. If undefined, all runs are driven. */
  poolFilter: PoolFilter | undefined;
  workerCard: () => WorkerCard;
}

/** Starts the engine, the heartbeat, the search for due runs, and the listener for cancellations. Returns the function that stops them. */
async function startDriving(driving: DrivingParts): Promise<() => Promise<void>> {
  const { engine, parts, report, recordHeartbeat, poolFilter, workerCard } = driving;
  const { store, clock, worker, drives } = parts;
  const interrupt = (runIds: readonly string[], reason: "cancel" | "lost"): void => {
    for (const runId of runIds) drives.get(runId)?.interrupt(reason);
  };
  const heartbeat = startHeartbeat({
    store,
    worker,
    card: workerCard,
    clock,
    held: () => [...drives].map(([runId, { epoch }]) => ({ runId, epoch })),
    onCancelled: (runIds) => interrupt(runIds, "cancel"),
    onLost: (runIds) => interrupt(runIds, "lost"),
    onRenewed: recordHeartbeat,
    onError: (error) => report({ message: "The heartbeat failed; it is tried again.", error }),
  });
  await heartbeat.beat();
  parts.mayBegin = () => clock.elapsed() < heartbeat.deadline();
  const unsubscribe = store.journal.onCommit((events, woken, from) => {
    for (const { type, runId } of events) {
      if (type === "CANCEL_REQUESTED") interrupt([runId], "cancel");
      if (TERMINAL_TYPES.has(type)) parts.skippedRuns.delete(runId);
      // If another process wrote this event, that process drives the run. This process only wakes the runs in `woken`, below.
      if (from === "elsewhere") continue;
      // Wakes a new child run, or a parent whose child has ended. Otherwise the run would start only at the next due-scan, a second later.
      if (type === "CHILD_RUN_COMPLETED" || !drives.has(runId)) void engine.wake(runId);
    }
    // If the engine is shared, the process that wrote the events has already woken all workers.
    if (from === "elsewhere" && engine.shared) return;
    for (const runId of woken) void engine.wake(runId);
  });
  try {
    await engine.start(async (runId, signal, delivery) => {
      if (await belongsToPool(runId, store, poolFilter)) await drive(runId, parts, signal, delivery);
    });
  } catch (error) {
    unsubscribe();
    await heartbeat.stop();
    throw error;
  }
  const scan = startDueScan({
    store,
    wake: (runId) => engine.wake(runId),
    of: poolFilter,
    except: parts.skippedRuns,
    clock,
    onError: (error) => report({ message: "The due-scan failed; it is tried again.", error }),
  });
  const watch = repeat({
    work: async () => ({ result: await checkOnRuns(parts), nextIn: LOOK_AFTER_MS }),
    retryIn: () => LOOK_AFTER_MS,
    onError: (error) => report({ message: "Checking on silent runs failed; it is tried again.", error }),
  });
  // This timer keeps the process alive until the runtime is stopped. The other timers do not.
  const alive = setInterval(() => {}, 60_000);
  return async () => {
    clearInterval(alive);
    await watch.stop();
    await scan.stop();
    await engine.stop();
    unsubscribe();
    await heartbeat.stop();
  };
}

/**
 * Whether a run belongs to this worker's pool (E6). The files of the pool's runs are on this machine.
 * The engine can wake this worker for any run. A run that the worker refuses is found by the due-scan of a worker in the run's pool.
 */
async function belongsToPool(
  runId: RunId,
  store: { runs: Pick<Store["runs"], "get"> },
  filter: PoolFilter | undefined,
): Promise<boolean> {
  if (!filter) return true;
  const row = await store.runs.get(runId);
  if (row?.pool !== undefined && filter.pools.includes(row.pool)) return row.pool === filter.pool;
  const root = row && row.rootRunId !== row.id ? await store.runs.get(row.rootRunId) : row;
  if (!root) return false;
  const { workspaces } = filter;
  return "in" in workspaces
    ? workspaces.in.includes(root.workspace)
    : !workspaces.notIn.includes(root.workspace);
}
