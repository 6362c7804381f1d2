// `npm run bench sim` finds out where Postgres, the engine and the streams to browsers reach their limits, long after one
// machine is too small. The real core (core.ts) plays runs of realistic size (sizes.ts) in a model of a fleet (simulate.ts)
// with measured costs (costs.ts).

import { print, whole } from "../table.ts";
import { type PlayedStep, play } from "./core.ts";
import { MEASURED, WORLD } from "./costs.ts";
import { type Outcome, simulate } from "./simulate.ts";
import { readSizes } from "./sizes.ts";

const RUNS = [100, 300, 1_000, 3_000, 10_000, 30_000];
const PARTITIONS = [1, 2, 4];
/** Initial number of runs per worker; one core can do more. */
const RUNS_PER_WORKER = 5_000;
/** The longest acceptable commit in milliseconds; a step waits for two. */
const LATE_MS = 100;
/** Highest acceptable load of a core; the rest is kept for peaks. */
const FULL = 0.7;
const DAY_S = 86_400;

export async function sim(): Promise<void> {
  const played = await play(readSizes());
  describe(played);
  const rows = RUNS.map((runs) => ({ runs, partitions: 1, ...simulateWithEnoughWorkers(runs, 1, played) }));
  print("One Postgres: runs under way at the same time, those that wait for a person included", [
    HEADINGS,
    ...rows.map(rowOf),
  ]);
  const wide = PARTITIONS.map((partitions) => {
    const runs = mostRuns(partitions, played);
    return { runs, partitions, ...simulateWithEnoughWorkers(runs, partitions, played) };
  });
  print(`The most runs under way for which 99 % of the commits take less than ${LATE_MS} ms`, [
    HEADINGS,
    ...wide.map(rowOf),
  ]);
}

const HEADINGS = [
  ...["runs", "partitions", "workers", "steps/s", "head busy", "commit p50 / p99 ms", "Postgres cores"],
  ...["wakes/s (pg-boss, Restate)", "deliveries/s (servers)", "GB a day"],
];

interface Row extends Outcome {
  runs: number;
  partitions: number;
  workers: number;
}

function rowOf(row: Row): string[] {
  const { "pg-boss": pgBoss, restate } = MEASURED.wakesPerSecond;
  const shown = row.eventsPerSecond + row.stepsPerSecond * WORLD.deltasPerStep;
  const deliveries = shown * WORLD.readersPerRun;
  const percent = (part: number) => `${Math.round(part * 100)} %`;
  return [
    whole(row.runs),
    whole(row.partitions),
    whole(row.workers),
    whole(row.stepsPerSecond),
    percent(row.headBusy),
    `${row.commitP50.toFixed(1)} / ${row.commitP99.toFixed(1)}`,
    ((row.stepsPerSecond * MEASURED.postgresStepMs) / 1_000).toFixed(1),
    `${row.wakesPerSecond.toFixed(1)} (${percent(row.wakesPerSecond / pgBoss)}, ${percent(row.wakesPerSecond / restate)})`,
    `${whole(deliveries)} (${((deliveries * MEASURED.deliveryMs) / 1_000 / FULL).toFixed(1)})`,
    ((row.bytesPerSecond * DAY_S) / 1e9).toFixed(1),
  ];
}

/** Simulates the fleet with enough workers that none exceeds the acceptable load. */
function simulateWithEnoughWorkers(runs: number, partitions: number, played: readonly PlayedStep[][]) {
  for (let workers = Math.ceil(runs / RUNS_PER_WORKER); ; workers *= 2) {
    const outcome = simulate({ runs, workers, partitions }, played, MEASURED);
    if (outcome.workerBusy < FULL) return { workers, ...outcome };
  }
}

/** The largest number of runs that this many partitions can carry before commits take too long, within 15 %. */
function mostRuns(partitions: number, played: readonly PlayedStep[][]): number {
  let [low, high] = [1_000, 80_000];
  while (high / low > 1.15) {
    const middle = Math.round(Math.sqrt(low * high));
    if (simulateWithEnoughWorkers(middle, partitions, played).commitP99 > LATE_MS) high = middle;
    else low = middle;
  }
  return Number(low.toPrecision(2));
}

function describe(played: readonly PlayedStep[][]): void {
  const of = (pick: (step: PlayedStep) => number) => {
    const sums = played.map((steps) => steps.reduce((sum, step) => sum + pick(step), 0));
    const sorted = sums.toSorted((a, b) => a - b);
    return [0.1, 0.5, 0.9, 1].map((part) =>
      whole(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]),
    );
  };
  print(`${played.length} real runs, as the core writes them`, [
    ["of a run", "10 %", "median", "90 %", "most"],
    ["steps", ...of(() => 1)],
    ["events", ...of(({ events }) => events)],
    ["bytes of payloads", ...of(({ bytes }) => bytes)],
    ["waits for a person", ...of(({ waits }) => (waits ? 1 : 0))],
  ]);
}
