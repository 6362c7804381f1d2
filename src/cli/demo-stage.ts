// The demo's stage: a copy of examples/11-incident in a temporary folder, and the task that is given there. What demos that
// have ended left there is removed when the next one begins; one that lives, or whose store somebody has, is left alone.

import { existsSync, lstatSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { takeOwnership } from "../runtime.ts";
import { version } from "./version.ts";

const SOURCE = fileURLToPath(new URL("../../examples/11-incident", import.meta.url));
const NAME = /^cadre-demo-(\d+)-/;

export const DEMO_AGENT = "oncall";

export interface Stage {
  folder: string;
  task: string;
  remove(): Promise<void>;
}

export async function stageDemo(): Promise<Stage> {
  const place = await realpath(tmpdir());
  await removeLeft(place);
  const root = await mkdtemp(join(place, `cadre-demo-${process.pid}-`));
  const folder = join(root, "incident");
  await cp(SOURCE, folder, {
    recursive: true,
    filter: (path) => !/^(\.cadre|main\.ts)$|\.(test|fixture)\.ts$/.test(basename(path)),
  });
  const task = (await readFile(join(folder, "task.txt"), "utf8")).trim();
  return { folder, task, remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }) };
}

async function removeLeft(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid)) || !isOurs(join(place, name))) continue;
    // Whatever cannot be removed must not keep this one from beginning.
    await removeUnused(join(place, name)).catch(() => {});
  }
}

const isOurs = (root: string): boolean => {
  const found = lstatSync(root, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
};

/** A server whose watcher was killed takes a while to leave, and a person may have opened the store since. */
async function removeUnused(root: string): Promise<void> {
  const dir = join(root, "incident", ".cadre");
  const owned = existsSync(dir)
    ? await takeOwnership(dir, { startedAt: Date.now(), version: version() })
    : { release: () => {} };
  if ("owner" in owned) return;
  await rm(root, { recursive: true, force: true });
  owned.release();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
