// Kills a process again and again while it drives trees, and counts the questions to people (P4, P9, E5).
// Only the planted poison run may be quarantined, every tree must end, and no effect may happen twice unless a person allows it.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/clock.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { scratchFolder } from "../support/scratch.ts";
import { AGENTS, CONFIG } from "./kill-trees.ts";

export interface KillReport {
  kills: number;
  runs: number;
  ended: number;
  /** The agents of the quarantined runs. */
  quarantined: string[];
  /** Unknown outcomes that a person had to decide. */
  asked: number;
  /** Commands whose outcome was known from the machine's notes. */
  known: number;
  /** Commands that ran more often than people and notes allow. */
  repeated: number;
}

export interface KillOptions {
  /** Whether the last lives also start a run that ends its process whenever it is driven. */
  poison: boolean;
  kills: number;
  seed: number;
  /** The shortest and the longest life of a process, in milliseconds. */
  life: readonly [number, number];
  treesPerLife: number;
  /** After this time, in milliseconds, the loop kills no further process. */
  within: number;
}

export async function killLoop(options: KillOptions): Promise<KillReport> {
  const { life, treesPerLife, poison } = options;
  const folder = scratchFolder("cadre-kills-");
  mkdirSync(join(folder, "agents"), { recursive: true });
  for (const [name, text] of Object.entries(AGENTS))
    writeFileSync(join(folder, "agents", `${name}.md`), text);
  writeFileSync(join(folder, "cadre.yaml"), CONFIG);
  const random = randomNumbers(options.seed);
  const began = Date.now();
  const until = began + options.within;
  // The poison run starts late, because it kills most of the processes that start after it.
  const isLate = (done: number): boolean =>
    done >= Math.floor(options.kills * 0.9) || Date.now() > began + options.within * 0.9;
  let kills = 0;
  try {
    for (; kills < options.kills && Date.now() < until; kills++) {
      const child = start(folder, treesPerLife, poison && isLate(kills) ? `poison-${kills}` : String(kills));
      // Every second process is killed some time after it began to drive, however slow the machine is. The others may still be starting.
      if (kills % 2 === 0) await Promise.race([child.drives, child.ended]);
      await setTimeout(life[0] + random() * (life[1] - life[0]));
      child.process.kill("SIGKILL");
      await child.ended;
    }
    // The last processes are not killed. They end early only if the poison run ends them.
    for (let last = 0; last < 12; last++) if ((await start(folder, 0, `last-${last}`).ended) === 0) break;
    return await report(folder, kills);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CHILD = fileURLToPath(new URL("./kill-child.ts", import.meta.url));

function start(folder: string, trees: number, life: string) {
  const child = spawn(process.execPath, [CHILD, folder, String(trees), life], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const drives = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { process: child, drives, ended };
}

async function report(folder: string, kills: number): Promise<KillReport> {
  const store = openSqliteStore({ path: join(folder, ".cadre", "cadre.db"), clock: systemClock });
  try {
    const found: KillReport = { kills, runs: 0, ended: 0, quarantined: [], asked: 0, known: 0, repeated: 0 };
    const path = join(folder, "scribes.log");
    const written = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await store.runs.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      cursor = page.nextCursor;
      for (const row of page.runs) {
        found.runs++;
        if (row.endedAt !== undefined) found.ended++;
        else if (row.waitingOn?.kind === "quarantine") found.quarantined.push(row.agent);
        let allowed = 1;
        for (const { type, payload } of await store.journal.read(row.id)) {
          if (type !== "OUTCOME_DECIDED") continue;
          if (payload.by === "cadre") found.known++;
          else {
            found.asked++;
            if (payload.verdict === "run_again") allowed++;
          }
        }
        if (row.agent === "scribe" && written.filter((id) => id === row.id).length > allowed)
          found.repeated++;
      }
    }
    return found;
  } finally {
    await store.close();
  }
}

/** A small generator of random numbers from 0 to 1, so that a seed always gives the same lives. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
