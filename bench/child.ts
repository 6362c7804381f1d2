// Measures one contender in one scenario, in a process of its own, so that the memory and compiled code of others do not count.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { About, Contender } from "./contender.ts";

export type Measure =
  | { kind: "about" }
  | { kind: "cpu"; runs: number; steps: number; warmUp: number }
  | { kind: "tree"; warmUp: number }
  | { kind: "disk"; runs: number; steps: number }
  | { kind: "extras" };

export interface Measured {
  about?: About;
  /** CPU milliseconds per step, user and system. */
  cpu?: number;
  /** Peak memory of the process in bytes. */
  peak?: number;
  bytes?: number;
  extras?: Record<string, number>;
  /** Present instead of numbers if the measurement failed: the reason. */
  problem?: string;
}

/** `warmUp` is a number of steps; this is how many of them one run takes. */
const WARM_UP_RUN = 50;

const [name = "", measure = "{}"] = process.argv.slice(2);
const measured = await report(name, JSON.parse(measure) as Measure);
// Anything a contender left running would take CPU time from the next one.
process.send?.(measured, () => process.exit());

async function report(contenderName: string, task: Measure): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-bench-"));
  try {
    const contender = (await import(`./contenders/${contenderName}.ts`)) as Contender;
    return await perform(task, contender, folder);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function perform(task: Measure, contender: Contender, folder: string): Promise<Measured> {
  switch (task.kind) {
    case "about":
      return { about: contender.about };
    case "cpu":
      return measureCpu(task, contender, folder);
    case "tree":
      return measureTree(task.warmUp, contender, folder);
    case "disk":
      return { bytes: await measureDisk(task, contender, folder) };
    case "extras":
      return { extras: (await contender.extras?.(folder)) ?? {} };
  }
}

async function measureCpu(
  { runs, steps, warmUp }: { runs: number; steps: number; warmUp: number },
  contender: Contender,
  folder: string,
): Promise<Measured> {
  for (let done = 0; done < warmUp; done += WARM_UP_RUN)
    await contender.run({ runs: 1, steps: WARM_UP_RUN, folder });
  const before = process.cpuUsage();
  const done = await contender.run({ runs, steps, folder });
  const { user, system } = process.cpuUsage(before);
  const peak = process.resourceUsage().maxRSS * 1024;
  await contender.close();
  if (done.steps !== runs * steps) throw new Error(`${done.steps} steps instead of ${runs * steps}`);
  return { cpu: (user + system) / 1000 / done.steps, peak };
}

/** CPU milliseconds of one tree, after a warm-up. */
async function measureTree(warmUp: number, contender: Contender, folder: string): Promise<Measured> {
  if (!contender.tree) return {};
  for (let done = 0; done < warmUp; done++) await contender.tree(folder);
  const before = process.cpuUsage();
  await contender.tree(folder);
  const { user, system } = process.cpuUsage(before);
  await contender.close();
  return { cpu: (user + system) / 1000 };
}

/** Bytes per step, not counting the size of an empty storage. */
async function measureDisk(
  { runs, steps }: { runs: number; steps: number },
  contender: Contender,
  folder: string,
): Promise<number> {
  await contender.run({ runs: 0, steps: 0, folder });
  await contender.close();
  const empty = bytesIn(folder);
  await contender.run({ runs, steps, folder });
  await contender.close();
  return (bytesIn(folder) - empty) / (runs * steps);
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
