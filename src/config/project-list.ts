// The projects in which this user has worked with Cadre, so that the page of one can lead to the others.
// Each project has a small file in the user's own folder. The list grants nothing: every project checks its visitors itself.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Env, realFolder, userFolder } from "./trust.ts";

const Entry = z.object({ folder: z.string(), dir: z.string() });

export interface KnownProject {
  id: string;
  folder: string;
  /** Folder for Cadre's own files. */
  dir: string;
}

/** The list shows at most this many projects. */
const MOST = 50;

/** Records that this user works in the project now. If the record cannot be written, the project is missing from the list. */
export function rememberProject({ folder, dir }: Omit<KnownProject, "id">, env: Env): void {
  const file = join(listFolder(env), `${projectId(folder)}.json`);
  try {
    mkdirSync(listFolder(env), { recursive: true, mode: 0o700 });
    const text = `${JSON.stringify({ folder: realFolder(folder), dir: realFolder(dir) })}\n`;
    writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {}
}

/** The projects whose folders exist, the latest first. */
export function listProjects(env: Env): KnownProject[] {
  let names: string[] = [];
  try {
    names = readdirSync(listFolder(env)).filter((name) => name.endsWith(".json"));
  } catch {}
  return names
    .flatMap((name) => readProject(join(listFolder(env), name)))
    .sort((one, other) => other.usedAt - one.usedAt)
    .slice(0, MOST)
    .map(({ id, folder, dir }) => ({ id, folder, dir }));
}

/** The id depends on the folder alone, so that a project has one entry. */
export const projectId = (folder: string): string =>
  createHash("sha256").update(realFolder(folder)).digest("hex").slice(0, 16);

const listFolder = (env: Env): string => join(userFolder(env), "projects");

function readProject(file: string): (KnownProject & { usedAt: number })[] {
  try {
    const { folder, dir } = Entry.parse(JSON.parse(readFileSync(file, "utf8")));
    if (!statSync(folder).isDirectory() || !statSync(dir).isDirectory()) return [];
    return [{ id: projectId(folder), folder, dir, usedAt: statSync(file).mtimeMs }];
  } catch {
    return [];
  }
}
