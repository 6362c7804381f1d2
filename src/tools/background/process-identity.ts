// Recognises a process by its pid and its start time. A pid alone is not enough, because the system reuses pids.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { z } from "zod";

const run = promisify(execFile);

export const ProcessIdentityShape = z.object({
  pid: z.int(),
  /** Start time of the process, in the system's unit. */
  start: z.string(),
  /** Id of the machine's boot in which the process started. Absent if the system has no such ids. */
  boot: z.string().optional(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentityShape>;

/** The identity of this process. Throws if the system does not say when this process started. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const start = await startOf(process.pid);
  if (start === undefined) throw new Error("the system does not say when this process started");
  const boot = await bootOf();
  return { pid: process.pid, start, ...(boot === undefined ? {} : { boot }) };
}

export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await isThisBoot(identity)) && (await startOf(identity.pid)) === identity.start;
}

export async function isThisBoot({ boot }: ProcessIdentity): Promise<boolean> {
  return boot === undefined || boot === (await bootOf());
}

const bootOf = (): Promise<string | undefined> =>
  readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );

/** Start time of a process. Undefined if the process is not running. A zombie process is not running. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (stat !== undefined) {
    // The name of the program is in parentheses and can contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  }
  if (process.platform === "linux") return undefined;
  try {
    const { stdout } = await run("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      env: { LC_ALL: "C", PATH: "/bin:/usr/bin" },
    });
    const [, state = "Z", start] = /^\s*(\S+)\s+(.+?)\s*$/.exec(stdout) ?? [];
    return state.startsWith("Z") ? undefined : start;
  } catch {
    return undefined;
  }
}
