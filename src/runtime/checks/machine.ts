// Doctor's checks of the machine: Node, SQLite, the clock, the folder and the disk.

import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { describeSystemError } from "../../errors.ts";
import { groupDigits } from "../../projections/words/format.ts";

export interface Finding {
  state: "ok" | "warn" | "bad";
  /** True for a warning that is shown in red: Cadre works, but the person is less protected than they might think. */
  isDanger?: true;
  name: string;
  text: string;
  /** How a person can fix the problem. */
  fix?: string;
  /** Fixes the problem and says what was done. Undefined if there was nothing to do. */
  mend?: () => Promise<string | undefined>;
}

const NODE = [24, 15, 0];
const SQLITE = [3, 51, 3];
const MB = 1024 * 1024;
const NFS = 0x6969;

export async function environmentChecks(folder: string, now = Date.now()): Promise<Finding[]> {
  return [
    versionCheck("Node", process.versions.node, NODE, "install a newer Node from https://nodejs.org"),
    versionCheck(
      "SQLite",
      process.versions["sqlite"] ?? "0",
      SQLITE,
      "it comes with Node: install a newer Node",
    ),
    clockCheck(now),
    await folderCheck(folder),
    ...(await diskChecks(folder)),
  ];
}

export function versionCheck(name: string, found: string, wanted: readonly number[], fix: string): Finding {
  const parts = found.split(".").map(Number);
  const first = wanted.findIndex((part, index) => part !== (parts[index] ?? 0));
  const isOld = first >= 0 && (parts[first] ?? 0) < wanted[first]!;
  if (!isOld) return { state: "ok", name, text: found };
  return { state: "bad", name, text: `${found} is older than ${wanted.join(".")}`, fix };
}

/** A clock that shows an earlier date is wrong, because this version of Cadre did not exist then. */
const WRITTEN = Date.UTC(2025, 0, 1);

export function clockCheck(now: number): Finding {
  const text = new Date(now).toISOString();
  if (now > WRITTEN) return { state: "ok", name: "clock", text };
  return {
    state: "bad",
    name: "clock",
    text: `${text} cannot be right`,
    fix: "set the clock; timers and expiries depend on it",
  };
}

async function folderCheck(folder: string): Promise<Finding> {
  const name = "folder";
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const own = await stat(join(folder, ".cadre")).catch(() => undefined);
    if (own) await access(join(folder, ".cadre"), constants.R_OK | constants.W_OK | constants.X_OK);
    return { state: "ok", name, text: `${folder} can be written` };
  } catch (error) {
    return {
      state: "bad",
      name,
      text: `cannot be written (${describeSystemError(error)})`,
      fix: "change its owner or permissions, or use another folder",
    };
  }
}

async function diskChecks(folder: string): Promise<Finding[]> {
  const disk = await statfs(folder).catch(() => undefined);
  if (!disk) return [];
  return [spaceCheck((disk.bavail * disk.bsize) / MB), ...(disk.type === NFS ? [nfs] : [])];
}

export function spaceCheck(free: number): Finding {
  const name = "disk";
  const text = `${groupDigits(Math.floor(free))} MB free`;
  if (free < 100)
    return { state: "bad", name, text, fix: "free some space: runs stop when their journals cannot grow" };
  return free < 1_000
    ? { state: "warn", name, text, fix: "free some space before long runs" }
    : { state: "ok", name, text };
}

const nfs: Finding = {
  state: "bad",
  name: "disk",
  text: "a network file system cannot keep a SQLite store safe",
  fix: "set CADRE_DIR to a folder on a local disk",
};
