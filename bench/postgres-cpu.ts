// The CPU that a Postgres on this machine has used: of its first process, and of all that it has started. Linux tells.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { TestPostgres } from "../src/stores/postgres/postgres.fixture.ts";

/** Of the kernel's clock, which is a hundredth of a second everywhere. */
const TICK_MS = 10;

/** Milliseconds; undefined: this machine does not tell. */
export async function cpuOfPostgres(postgres: TestPostgres): Promise<number | undefined> {
  if (!existsSync("/proc/self/stat")) return undefined;
  const [file] = await postgres.query("SELECT pg_read_file('postmaster.pid', 0, 16) AS text");
  const postmaster = Number.parseInt(String(file!["text"]), 10);
  const own = statOf(postmaster);
  if (!own) return undefined;
  const below = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .filter(({ parent }) => parent === postmaster);
  return [own, ...below].reduce((sum, { ticks, ended }) => sum + ticks + ended, 0) * TICK_MS;
}

/** `ended`: of those that it has started and that are gone. */
function statOf(pid: number): { parent: number; ticks: number; ended: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((i) => fields[i]!);
    return { parent: parent!, ticks: user! + system!, ended: endedUser! + endedSystem! };
  } catch {
    return undefined;
  }
}
