// Identifies processes after a restart. A process id can be reused, so the start time of the process is compared too.

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface ProcessStat {
  session: number;
  /** Start time of the process, in the system's unit. */
  began: string;
  /** True if the process has ended and its parent has not asked for its exit code. */
  isZombie: boolean;
}

/** Reads a process's entry in /proc. Undefined if the process does not exist, or if the system has no /proc. */
export function processStat(pid: number): ProcessStat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/** Start time of a process, in the system's unit. Undefined if it is unknown or the process does not exist. */
export const processStartTime = (pid: number): string | undefined => processStat(pid)?.began;

export function parseStat(line: string): ProcessStat | undefined {
  // The program's name is in parentheses and can contain any characters, including parentheses and spaces.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  if (fields[19] === undefined) return undefined;
  return { session: Number(fields[3]), began: fields[19], isZombie: fields[0] === "Z" };
}

/** The scope in which process ids are unique: the machine, its current boot, and the process namespace. */
export interface ProcessPlace {
  host: string;
  boot: string;
  namespace: string;
}

export const processPlace = (): ProcessPlace => ({
  host: `${hostname()} ${readText("/etc/machine-id")?.trim() ?? ""}`,
  boot: readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "",
  namespace: namespaceName(),
});

function namespaceName(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
