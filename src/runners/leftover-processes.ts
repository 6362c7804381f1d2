// Finds and kills programs that an earlier process left running.
// A program is identified by its session and the start time of the session's leader, because a pid can be reused.
// On systems without /proc this module does nothing. There, the supervising shell kills the programs when its pipe closes.

import { readdirSync, readFileSync } from "node:fs";

/** Start time of a process, in the system's unit. Undefined if it is unknown or the process does not exist. */
export const processStartTime = (pid: number): string | undefined => statOf(pid)?.began;

/** Kills every process of a session. Does nothing if the leader's pid now belongs to another process. */
export function killSession(leader: number, began: string | undefined): void {
  const now = processStartTime(leader);
  if (now !== undefined && now !== began) return;
  for (const pid of pids()) if (statOf(pid)?.session === leader) kill(pid);
}

function pids(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function statOf(pid: number): { session: number; began: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name is in parentheses and can contain any characters, including parentheses and spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { session: Number(fields[3]), began: fields[19]! };
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended, which is fine.
  }
}
