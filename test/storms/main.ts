// `npm run storms` drives trees while disk, descriptors, memory, clock or provider misbehave, and checks what is left afterwards.
//  - Each round plays a scenario of the crash suite in a separate process, in a storm. A process that takes too long is killed.
//    If the process dies or is killed, a second process continues the scenario to its end, without a storm.
//  - The final state must equal that of a scenario without a storm.
//    The oracle, a file outside the database, shows whether an effect was lost, repeated or made up.
//
//   npm run storms                            all storms, five minutes in total
//   npm run storms -- --minutes 60            longer
//   npm run storms -- --seed 4711 disk-full   one storm, from one seed

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { leftBehind } from "../crash/left-behind.ts";
import { live } from "../crash/life.ts";
import type { ScenarioName } from "../crash/scenario.ts";
import { seededRandom } from "../simulation/random.ts";
import { STORMS, type Storm } from "./weather.ts";

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
const PLAYED: readonly ScenarioName[] = ["run", "tree", "steps", "team"];
/** A process that takes longer is killed. */
const ROUND_MS = 20_000;
const CALM_MS = 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "5" }, seed: { type: "string", default: "1" } },
});
const chosen = positionals.length === 0 ? STORMS : STORMS.filter(({ name }) => positionals.includes(name));
const share = (Number(values.minutes) * 60_000) / chosen.length;
if (chosen.length < positionals.length || !(share > 0)) {
  console.error(
    `Say \`npm run storms -- [--minutes 5] [--seed 1] [${STORMS.map(({ name }) => name).join(" | ")}]\`.`,
  );
  process.exit(2);
}

const expected = new Map<ScenarioName, unknown>();
for (const scenario of PLAYED)
  expected.set(scenario, await inFolder((folder) => playCalmly(scenario, folder)));
const failed: string[] = [];
for (const storm of chosen) await ride(storm);
for (const line of failed) console.error(line);
process.exit(failed.length === 0 ? 0 : 1);

/** Repeats a storm with other seeds until its share of the time is over. */
async function ride(storm: Storm): Promise<void> {
  const until = Date.now() + share;
  const sum = { rounds: 0, faults: 0, cutOff: 0, held: 0 };
  for (let seed = Number(values.seed); Date.now() < until || sum.rounds === 0; seed++) {
    const scenario = PLAYED[seed % PLAYED.length]!;
    const round = await inFolder((folder) => playRound(storm, { seed, scenario, folder }));
    sum.rounds++;
    sum.faults += round.faults;
    if (round.ended !== 0) sum.cutOff++;
    if (round.problem === undefined) sum.held++;
    else failed.push(`${storm.name}, seed ${seed}, ${scenario}: ${round.problem}`);
  }
  const { rounds, faults, cutOff, held } = sum;
  const counted = faults > 0 ? `${faults} faults, ` : "";
  console.log(
    `${storm.name}: ${storm.does}. ${rounds} trees, ${counted}${cutOff} processes did not survive, ${held} trees ended as in calm weather.`,
  );
}

interface Round {
  seed: number;
  scenario: ScenarioName;
  folder: string;
}

async function playRound(storm: Storm, { seed, scenario, folder }: Round) {
  const plain = [process.execPath, CHILD, storm.name, String(seed), scenario, folder];
  const argv = storm.command?.(plain, seededRandom(seed)) ?? plain;
  const ended = await endOf(argv);
  const counter = join(folder, "faults.count");
  const faults = existsSync(counter) ? Number(readFileSync(counter, "utf8")) : 0;
  try {
    const left = await playCalmly(scenario, folder);
    const isSame = isDeepStrictEqual(left, expected.get(scenario));
    return {
      ended,
      faults,
      problem: isSame ? undefined : `another end than in calm weather: ${JSON.stringify(left)}`,
    };
  } catch (error) {
    return { ended, faults, problem: (error as Error).message };
  }
}

async function playCalmly(scenario: ScenarioName, folder: string): Promise<unknown> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`not done ${CALM_MS / 1_000} s after the storm`)), CALM_MS).unref();
  });
  await Promise.race([live(scenario, folder, 0), late]);
  return leftBehind(folder);
}

/** Returns the exit code, or the signal that ended the process. */
function endOf([program = "", ...args]: readonly string[]): Promise<number | string> {
  const child = spawn(program, args, { stdio: "ignore" });
  const timer = setTimeout(() => child.kill("SIGKILL"), ROUND_MS);
  return new Promise((resolve) => {
    child.once("error", () => resolve("not started"));
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      resolve(code ?? signal ?? "");
    });
  });
}

async function inFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-storm-"));
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
