// Everything that goes on in a process beside what it is asked: work, webhooks, traces, and the sign of life.

import { otlpSettings } from "../config/otlp.ts";
import { repeat } from "../engines/repeat.ts";
import type { Mask } from "../journal/masking/mask.ts";
import { digest } from "../stores/blobs.ts";
import { startTracing } from "../telemetry/tracing.ts";
import type { Notifier } from "../webhooks/notifier.ts";
import { touchWhileAlive } from "./alive-file.ts";
import { type DrivingParts, startDriving } from "./start-driving.ts";

export interface ServiceParts {
  work: DrivingParts;
  webhooks: Notifier;
  mask: Mask;
  env: Readonly<Record<string, string | undefined>>;
  /** Of the program. */
  version: string;
}

/** All of it or nothing. Answers with what ends it; traces end last, so that they tell of the end of work. */
export async function startServices(beginning: ServiceParts): Promise<() => Promise<void>> {
  const { work, webhooks, mask, env, version } = beginning;
  const { store, worker } = work.parts;
  const stopAlive = touchWhileAlive(env["CADRE_ALIVE_FILE"]);
  const stopTracing = await startTracing({
    ...{ store, mask, digest, repeat, version, holder: worker },
    otlp: otlpSettings(env),
    onProblem: work.report,
  }).catch((error: unknown) => {
    stopAlive();
    throw error;
  });
  const stopWork = await startDriving(work).catch(async (error: unknown) => {
    stopAlive();
    // Why it did not start is what must be said, not that its store is away for this, too.
    await stopTracing().catch(() => {});
    throw error;
  });
  const stopTelling = webhooks.start();
  return async () => {
    await stopWork();
    await stopTelling();
    await stopTracing();
    stopAlive();
  };
}
