// The CPU time used by a Postgres server on this machine: its first process and all processes it started. Linux only.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { TestPostgres } from "../src/stores/postgres/postgres.fixture.ts";

/** Milliseconds per tick of the kernel's clock; a tick is a hundredth of a second everywhere. */
const TICK_MS = 10;

/** CPU milliseconds, or undefined if this machine does not report them. */
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

/** `ended` is the CPU time of its child processes that have ended. */
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
