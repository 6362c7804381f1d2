// Starts the background services of a runtime: driving, webhooks, traces and the alive file.

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
  /** Version of the program. */
  version: string;
}

/** Starts all of them or none. Returns the function that stops them; tracing stops last, to include the end of driving. */
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
    // Report why driving did not start, not that stopping failed for the same reason.
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
