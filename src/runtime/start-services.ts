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
  driving: DrivingParts;
  webhooks: Notifier;
  mask: Mask;
  env: Readonly<Record<string, string | undefined>>;
  /** Version of the program. */
  version: string;
}

/** Starts all of them or none. Returns the function that stops them; tracing stops last, to include the end of driving. */
export async function startServices(services: ServiceParts): Promise<() => Promise<void>> {
  const { driving, webhooks, mask, env, version } = services;
  const { store, worker } = driving.parts;
  const stopAlive = touchWhileAlive(env["CADRE_ALIVE_FILE"]);
  const stopTracing = await startTracing({
    ...{ store, mask, digest, repeat, version, holder: worker },
    otlp: otlpSettings(env),
    onProblem: driving.report,
  }).catch((error: unknown) => {
    stopAlive();
    throw error;
  });
  const stopDriving = await startDriving(driving).catch(async (error: unknown) => {
    stopAlive();
    // Report why driving did not start, not that stopping failed for the same reason.
    await stopTracing().catch(() => {});
    throw error;
  });
  const stopWebhooks = webhooks.start();
  return async () => {
    await stopDriving();
    await stopWebhooks();
    await stopTracing();
    stopAlive();
  };
}
