// Lives of the process under test, one after the other, on one folder.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { fold } from "../../src/projections/projection.ts";
import { promptMessages, transcriptProjection } from "../../src/projections/transcript.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { checkInvariants } from "../support/invariants.ts";
import { effects } from "../support/oracle.ts";

const STUCK_MS = 15_000;
const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));

/** Kills at these boundaries, one per life; the last life goes on to the end. Answers with what is left in the world. */
export async function liveThrough(...killAt: number[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-crash-"));
  try {
    for (const at of killAt) await live(folder, at);
    const last = await live(folder, 0);
    expect(last, "the last life ends by itself").toEqual({ code: 0, signal: null });
    await checkWorld(folder);
  } catch (error) {
    throw new Error(`killed at ${killAt.join(", then ")}: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The boundaries that an undisturbed life passes. */
export async function boundaries(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-crash-"));
  try {
    expect(await live(folder, 1_000_000)).toEqual({ code: 0, signal: null });
    return lines(join(folder, "boundaries.log"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function live(folder: string, killAt: number): Promise<{ code: number | null; signal: string | null }> {
  const child = spawn(process.execPath, [CHILD, folder, String(killAt)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  const stuck = setTimeout(() => {
    complaint = `still not done after ${STUCK_MS / 1000} s`;
    child.kill("SIGTERM");
  }, STUCK_MS);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(stuck);
      if (code !== 0 && signal !== "SIGKILL") reject(new Error(complaint));
      else resolve({ code, signal });
    });
  });
}

async function checkWorld(folder: string): Promise<void> {
  const oracle = join(folder, "effects.log");
  const store = openSqliteStore({ path: join(folder, "cadre.db"), clock: systemClock });
  try {
    await checkInvariants(store, oracle);
    const { runs } = await store.runs({});
    expect(runs.map(({ status, stopReason, summary }) => ({ status, stopReason, summary }))).toEqual([
      { status: "completed", stopReason: "final_answer", summary: "Looked, charged, stamped." },
    ]);
    const done = effects(oracle).map((effect) => effect.tool);
    expect(
      done.filter((tool) => tool === "charge"),
      "one charge",
    ).toHaveLength(1);
    expect(
      done.filter((tool) => tool === "stamp"),
      "one stamp",
    ).toHaveLength(1);
    expect(done.filter((tool) => tool === "look").length, "looked").toBeGreaterThanOrEqual(1);
    const asked = lines(join(folder, "model.log"));
    expect(new Set(asked).size, "P3: no attempt is asked twice").toBe(asked.length);
    const transcript = fold(transcriptProjection, await store.journal(runs[0]!.id));
    expect(
      promptMessages(transcript)
        .filter((message) => message.role === "tool")
        .map(resultTexts),
    ).toEqual([["look orders: done"], ["charge card 1: done"], ["stamp receipt: done"], ["Received."]]);
  } finally {
    await store.close();
  }
}

const resultTexts = (message: { content: unknown[] }): unknown[] =>
  message.content.map((part) => (part as { output: { value: unknown } }).output.value);

function lines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

/** Runs the jobs, a few at a time. */
export async function inPool(jobs: readonly (() => Promise<void>)[], size = 3): Promise<void> {
  const queue = [...jobs];
  await Promise.all(
    Array.from({ length: size }, async () => {
      for (let job = queue.shift(); job; job = queue.shift()) await job();
    }),
  );
}
