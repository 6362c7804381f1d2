// Copies examples/11-incident into a temporary folder for the demo.
// If a demo was killed before its end, the next demo continues in its copy. Copies of ended demos are removed.
// A copy that another process uses is left alone.

import { existsSync, lstatSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "../connection/connect.ts";
import { unfinishedRuns } from "../follow/unfinished-runs.ts";

const SOURCE = fileURLToPath(new URL("../../../examples/11-incident", import.meta.url));
const NAME = /^cadre-demo-(\d+)-/;
const FOLDER = "incident";

export const DEMO_AGENT = "oncall";

export interface DemoProject {
  folder: string;
  task: string;
  remove(): Promise<void>;
}

export async function copyDemo(): Promise<DemoProject> {
  const place = await realpath(tmpdir());
  const root = await mkdtemp(join(place, `cadre-demo-${process.pid}-`));
  await cp(SOURCE, join(root, FOLDER), {
    recursive: true,
    filter: (path) => !/^(\.cadre|main\.ts)$|\.(test|fixture)\.ts$/.test(basename(path)),
  });
  return projectIn(root);
}

/** Finds the newest demo that was killed before its end, and removes copies of ended demos. */
export async function findInterruptedDemo(): Promise<DemoProject | undefined> {
  const place = await realpath(tmpdir());
  const roots = (await readdir(place))
    .filter((name) => NAME.test(name) && !isAlive(Number(NAME.exec(name)![1])))
    .map((name) => join(place, name))
    .filter(isOurs)
    .sort((one, other) => lstatSync(other).mtimeMs - lstatSync(one).mtimeMs);
  let left: DemoProject | undefined;
  for (const root of roots) {
    // The demo starts even if an old copy cannot be read or removed.
    const state = await stateOf(root).catch(() => "in use");
    if (state === "ended") await rm(root, { recursive: true, force: true }).catch(() => {});
    if (state === "under way") left ??= await projectIn(root);
  }
  return left;
}

async function projectIn(root: string): Promise<DemoProject> {
  const folder = join(root, FOLDER);
  const task = (await readFile(join(folder, "task.txt"), "utf8")).trim();
  return { folder, task, remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }) };
}

const isOurs = (root: string): boolean => {
  const found = lstatSync(root, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
};

/** Returns `in use` if another process has opened the copy's store, such as a server that is still shutting down. */
async function stateOf(root: string): Promise<"in use" | "ended" | "under way"> {
  const folder = join(root, FOLDER);
  if (!existsSync(join(folder, ".cadre"))) return "ended";
  const { client, isOwner, close } = await connect({ folder, io: { env: process.env }, drive: false });
  try {
    if (!isOwner) return "in use";
    return (await unfinishedRuns(client)).length > 0 ? "under way" : "ended";
  } finally {
    await close();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
