// Cadre itself: journal in SQLite, every intent and outcome committed with an fsync before anything rests on it.

import { existsSync } from "node:fs";
import type { About, Scenario } from "../contender.ts";

export const about: About = {
  packages: [],
  durability: "SQLite WAL, synchronous=FULL (fsync per commit), group commit",
};

export async function run(_scenario: Scenario): Promise<{ steps: number }> {
  return notYet();
}

export async function close(): Promise<void> {}

/** `commits per step`, and `due-scan ms` over 100,000 suspended runs. */
export async function extras(_folder: string): Promise<Record<string, number>> {
  return notYet();
}

function notYet(): never {
  const there = existsSync(new URL("../../src/runtime.ts", import.meta.url));
  throw new Error(
    there
      ? "not measured: src/runtime.ts exists, but bench/contenders/cadre.ts does not call it yet"
      : "not measured: src/runtime.ts does not exist yet",
  );
}
