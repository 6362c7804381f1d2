// Programs that a process which is no more left running. They are known by the session that they were started in, and by when its leader
// began: a number alone may be somebody else's by now. Where the system has no /proc, the shell that watches over them is trusted to
// have ended them when its pipe closed.

import { readdirSync, readFileSync } from "node:fs";

/** When a process began, as the system counts; undefined: it cannot be known here, or there is none. */
export const processStartTime = (pid: number): string | undefined => statOf(pid)?.began;

/** Ends every process of a session, unless its leader is another one than was started. */
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
    // The name of the program stands in brackets, and may hold anything.
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
    // It has ended meanwhile.
  }
}
