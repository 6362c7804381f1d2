// Finds and kills programs that an earlier process left running.
// A program is identified by its session and the start time of the session's leader, because a pid can be reused.
// On systems without /proc this module does nothing. There, the supervising shell kills the programs when its pipe closes.

import { readdirSync } from "node:fs";
import { processStartTime, processStat } from "../process-start.ts";

/** Kills every process of a session. Does nothing if the leader's pid now belongs to another process. */
export function killSession(leader: number, began: string | undefined): void {
  const now = processStartTime(leader);
  if (now !== undefined && now !== began) return;
  for (const pid of pids()) if (processStat(pid)?.session === leader) kill(pid);
}

function pids(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended, which is fine.
  }
}
