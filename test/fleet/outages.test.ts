// While hundreds of trees run on both engines, Postgres stops and restarts every 5 to 10 seconds.
// The store retries for some time while Postgres is down. One outage is longer than that.
// Higher values of CADRE_TEST_TREES and CADRE_TEST_RESTARTS make the test longer.

import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { toCadreError } from "../../src/errors.ts";
import { seededRandom } from "../simulation/random.ts";
import { type Crew, type Ground, SOON } from "./crew.ts";
import { eitherEngine, setting } from "./with-both.ts";

/** Number of trees for each of the two engines. */
const TREES = Math.ceil(setting("CADRE_TEST_TREES", 500) / 2);
const OUTAGES = setting("CADRE_TEST_RESTARTS", 3);
const SEED = setting("CADRE_TEST_SEED", 20_261_116);

const random = seededRandom(SEED);
const AWAY_MS = 1_000;
/** The store retries for 10 s. This outage is longer, so callers of the store get errors, and leases expire. */
const LONG_AWAY_MS = 11_000;
const PLAN = Array.from({ length: OUTAGES }, (_, index) => ({
  after: random.between(5_000, 10_000),
  away: index === 1 ? LONG_AWAY_MS : AWAY_MS,
}));
const LASTS_MS = PLAN.reduce((sum, { after, away }) => sum + after + away, 0);
/** Time limit for the runs that are still open when the last outage ends. */
const REST_MS = 60_000 + 1_000 * TREES;

eitherEngine("outages of Postgres", ({ withBoth }) => {
  const crews: Crew[] = [];
  /** Both engines share the outages, because they use the same Postgres. */
  let outages: Promise<void> | undefined;

  withBoth(
    "[F34] although Postgres restarts again and again, every tree ends and no effect is repeated",
    async (crew, engine, ground) => {
      await Promise.all([crew.hire(), crew.hire()]);
      crews.push(crew);
      const planted = feed(crew);
      outages ??= comeAndGo(ground, crews);
      await outages;
      const over = performance.now();
      await crew.allEnd(await planted, REST_MS);
      await crew.grown(TREES);
      const seconds = ((performance.now() - over) / 1_000).toFixed(1);
      console.log(`${engine}: ${TREES} trees, all ended and checked ${seconds} s after the last outage`);
    },
    2 * (LASTS_MS + REST_MS),
  );
});

/**
 * Admits trees at an even rate, even during outages.
 * If an admission gets no answer, it is repeated with the same key, so that no second tree starts.
 */
async function feed(crew: Crew): Promise<string[]> {
  const from = performance.now();
  const admitted: Promise<string>[] = [];
  while (admitted.length < TREES) {
    const due = Math.ceil((TREES * (performance.now() - from)) / LASTS_MS);
    while (admitted.length < Math.min(due, TREES)) admitted.push(plant(crew, `tree ${admitted.length}`));
    await pause(50);
  }
  return Promise.all(admitted);
}

async function plant(crew: Crew, name: string): Promise<string> {
  for (;;) {
    try {
      return await crew.admit("chief", name, name);
    } catch (error) {
      if (toCadreError(error).code !== "STORAGE_UNUSABLE") throw error;
    }
  }
}

async function comeAndGo({ postgres }: Ground, crews: readonly Crew[]): Promise<void> {
  for (const { after, away } of PLAN) {
    await pause(after);
    const countRunning = (crew: Crew) => crew.server.store.runs.count({ status: ["running"] });
    await expect
      .poll(async () => Math.min(...(await Promise.all(crews.map(countRunning)))), SOON)
      .toBeGreaterThan(0);
    const open = await Promise.all(
      crews.map((crew) =>
        crew.server.store.runs.count({ agent: "chief", status: ["pending", "running", "waiting"] }),
      ),
    );
    await postgres.stop();
    await pause(away);
    await postgres.start();
    console.log(`Postgres was away for ${away / 1_000} s while ${open.join(" and ")} trees were open`);
  }
}
