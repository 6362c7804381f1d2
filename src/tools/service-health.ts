// Waits until a service says that it is well: its address answers 2xx, or its command ends with 0.

import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import type { Service } from "../config/schema.ts";
import { messageOf } from "../errors.ts";
import { type ProgramOptions, runProgram } from "./shell/run-program.ts";

type Health = NonNullable<z.output<typeof Service>["health"]>;

export interface HealthResult {
  healthy: boolean;
  /** What the last check that failed said. */
  last?: string;
  seconds: string;
}

const BETWEEN_MS = 250;
const ONE_CHECK_MS = 5_000;

export async function waitForHealth(health: Health, place: ProgramOptions): Promise<HealthResult> {
  const started = performance.now();
  const passed = (): number => performance.now() - started;
  let last: string | undefined;
  while (!place.signal.aborted && passed() < place.timeout) {
    const timeout = Math.max(1, Math.min(ONE_CHECK_MS, place.timeout - passed()));
    const problem = await checkOnce(health, { ...place, timeout });
    const seconds = (passed() / 1000).toFixed(1);
    if (problem === undefined) return { healthy: true, seconds };
    last = problem;
    await delay(BETWEEN_MS, undefined, { signal: place.signal }).catch(() => undefined);
  }
  return { healthy: false, ...(last === undefined ? {} : { last }), seconds: (passed() / 1000).toFixed(1) };
}

/** What is wrong; undefined: nothing. A body is not read: nobody here wrote it. */
async function checkOnce({ url, command }: Health, place: ProgramOptions): Promise<string | undefined> {
  if (url === undefined) {
    const { code, failed, stopped } = await runProgram(command!, place);
    if (failed !== undefined) return failed;
    if (stopped !== undefined) return stopped;
    return code === 0 ? undefined : `exit ${code}`;
  }
  try {
    const signal = AbortSignal.any([place.signal, AbortSignal.timeout(Math.ceil(place.timeout))]);
    const response = await fetch(url, { redirect: "manual", signal });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
    return typeof cause?.code === "string" ? cause.code : messageOf(error);
  }
}
