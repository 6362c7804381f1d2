// Executes a scenario in one folder with several processes, one after the other. Each process is called a life.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { programPath } from "../support/programs.ts";
import { scratchFolder } from "../support/scratch.ts";
import { type LeftBehind, leftBehind } from "./left-behind.ts";
import { type KillAt, live } from "./life.ts";
import type { ScenarioName } from "./scenario.ts";

const NEVER = 1_000_000;
const STUCK_MS = 60_000;
const STUCK = `still not done after ${STUCK_MS / 1000} s`;

export interface Undisturbed {
  scenario: ScenarioName;
  /** The boundaries that a life passes if it is not killed, in order. */
  boundaries: string[];
  left: LeftBehind;
}

/** Executes the scenario without killing the process. */
export async function runUndisturbed(scenario: ScenarioName): Promise<Undisturbed> {
  return inFolder(async (folder) => {
    await live(scenario, folder, NEVER);
    return { scenario, boundaries: lines(join(folder, "boundaries.log")), left: await leftBehind(folder) };
  });
}

/** Kills one life at each of these boundaries. The last life runs to the end, with the same final state as a life without kills. */
export async function liveThrough({ scenario, left }: Undisturbed, ...killAt: number[]): Promise<void> {
  await surviveKills(scenario, killAt, (end) => expect(end).toEqual(left));
}

/** Kills one life at each of these boundaries, and checks the final state of the last life. `whileDead` runs before the last life begins. */
export async function surviveKills(
  scenario: ScenarioName,
  killAt: readonly KillAt[],
  check: (left: LeftBehind, folder: string) => void,
  whileDead: (folder: string) => Promise<void> = async () => undefined,
): Promise<void> {
  await inFolder(async (folder) => {
    try {
      for (const at of killAt) await liveUntilKilled(scenario, folder, at);
      await whileDead(folder);
      await inTime(live(scenario, folder, 0));
      check(await leftBehind(folder), folder);
      const hooked = lines(join(folder, "hooks.log"));
      expect(new Set(hooked).size, "HK2: no hook runs twice").toBe(hooked.length);
      const asked = lines(join(folder, "model.log"));
      expect(new Set(asked).size, "P3: no model call is made twice").toBe(asked.length);
    } catch (error) {
      throw new Error(`killed at ${killAt.join(", then ")}: ${(error as Error).message}`, { cause: error });
    }
  });
}

async function inFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = scratchFolder("cadre-crash-");
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a life in a separate process until it is killed at the boundary, or until it ends earlier. */
function liveUntilKilled(scenario: ScenarioName, folder: string, killAt: KillAt): Promise<void> {
  const child = spawn(process.execPath, [programPath("crash-child"), scenario, folder, String(killAt)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  const stuck = globalThis.setTimeout(() => {
    complaint = STUCK;
    child.kill("SIGTERM");
  }, STUCK_MS);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(stuck);
      if (code !== 0 && signal !== "SIGKILL") reject(new Error(complaint));
      else resolve();
    });
  });
}

/** Fails if the last life takes too long. This life is never killed, and runs in the test's own process. */
function inTime(life: Promise<void>): Promise<void> {
  const tooLong = setTimeout(STUCK_MS, undefined, { ref: false }).then(() => {
    throw new Error(STUCK);
  });
  return Promise.race([life, tooLong]);
}

export function lines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

/** Runs all jobs, but only a few at the same time. */
export async function inPool(jobs: readonly (() => Promise<void>)[], size = 3): Promise<void> {
  const queue = [...jobs];
  await Promise.all(
    Array.from({ length: size }, async () => {
      for (let job = queue.shift(); job; job = queue.shift()) await job();
    }),
  );
}
