// Kills a program that embeds Cadre, at the moments that its public API shows. The next process finishes the run.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { effectLog } from "../../src/testing.ts";
import { scratchFolder } from "../support/scratch.ts";
import { inPool, lines } from "./lives.ts";

const MINUTES = 60_000;
/** By default, the program is killed at every 4th moment, and at every moment of its tools. */
const STRIDE = process.env["CRASH_ALL"] === undefined ? 4 : 1;
const NEVER = 1_000_000;
const ANSWER = { id: expect.any(String), charged: 500, text: "Charged and stamped." };
const EFFECTS = ["charge card 1", "stamp receipt"];

test(
  "[27] [F01] [F03] a program that embeds Cadre is killed at its moments, and its next process finishes with each effect done once",
  async () => {
    const moments = await inFolder(async (folder) => {
      expect(JSON.parse((await live(folder, NEVER)).printed)).toEqual(ANSWER);
      return lines(join(folder, "moments.log"));
    });
    const names = moments.map((line) => line.replace(/^\d+ /, ""));
    for (const name of ["clerk started", "before charge", "after charge", "stamper ended", "clerk ended"])
      expect(names).toContain(name);
    const kills = names.flatMap((name, index) =>
      index % STRIDE === 0 || /^(before|after|asked)/.test(name) ? [index + 1] : [],
    );
    await inPool(kills.map((at) => () => inFolder((folder) => surviveKill(folder, at))));
  },
  10 * MINUTES,
);

async function surviveKill(folder: string, at: number): Promise<void> {
  const first = await live(folder, at);
  const last = await live(folder, 0);
  const moment = lines(join(folder, "moments.log")).at(-1);
  const log = effectLog(join(folder, "effects.log"));
  expect(first.signal, moment).toBe("SIGKILL");
  expect(JSON.parse(last.printed), `killed at ${moment}: ${last.complaint}`).toEqual(ANSWER);
  const done = log.all().map(({ name, detail }) => `${name} ${String(detail)}`);
  expect(done.toSorted(), `killed at ${moment}`).toEqual(EFFECTS);
}

async function live(folder: string, killAt: number) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "embedded-program.ts"), folder, String(killAt)],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let [printed, complaint] = ["", ""];
  child.stdout.on("data", (data) => {
    printed += data;
  });
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== null && code !== 0) throw new Error(complaint);
  return { signal, printed, complaint };
}

async function inFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = scratchFolder("cadre-embedded-");
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
