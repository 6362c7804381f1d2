// Restores the version that `cadre undo` planned for a path, in one step that can be repeated.
//  UN7  A version is replaced only if it is the one that the plan saw. The replaced file is moved aside, never deleted,
//       and compared once more. If another process changed it at the last moment, it is put back.
//  UN8  A killed undo leaves each path as it was or as it should be.

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, lstat, mkdir, open, rename, rm, rmdir, symlink } from "node:fs/promises";
import { isSameVersion, type UndoStep, type Version } from "../../projections/folds/undo-plan.ts";
import { type OpenFolder, openFolder, openIn, pathIn } from "../files/open-folder.ts";
import type { Restored } from "../tool.ts";
import { type ReadRules, readVersionIn } from "./file-version.ts";

export interface RestoreParts {
  root: string;
  rules: ReadRules;
  /** The folder for replaced files. It is on the same file system as the workspace. */
  aside: OpenFolder;
  /** The bytes of a file's version. Undefined if they are missing. */
  bytesOf(blob: string): Promise<Uint8Array | undefined>;
}

export async function restorePath(
  { path, now, target }: Pick<UndoStep, "path" | "now" | "target">,
  parts: RestoreParts,
): Promise<Restored> {
  const names = path.split("/");
  const name = names.at(-1)!;
  await using folder = await openFolder(parts.root, names.slice(0, -1), { create: target !== null });
  const place = { folder, name, path, parts };
  const found = await versionAt(place);
  if (isSameVersion(found, target)) return "restored";
  if (!isSameVersion(found, now)) return "changed";
  if (target?.kind === "file" && (await parts.bytesOf(target.blob)) === undefined) return "lost";
  if (found?.kind === "folder" && !(await isRemoved(pathIn(folder, name)))) return "full";
  const before = found?.kind === "folder" ? null : found;
  if (target === null) return before === null ? "restored" : await moveAside(place, before);
  if (target.kind === "folder") {
    if (before !== null && (await moveAside(place, before)) === "changed") return "changed";
    await mkdir(pathIn(folder, name));
    return "restored";
  }
  return await replace(place, before, target);
}

interface Place {
  folder: OpenFolder;
  name: string;
  path: string;
  parts: RestoreParts;
}

const versionAt = async ({ folder, name, path, parts: { rules } }: Place): Promise<Version> =>
  (await readVersionIn(folder, name, { path, rules })).version;

const asideName = (path: string): string => createHash("sha256").update(path).digest("hex").slice(0, 16);

async function moveAside(place: Place, expected: Version): Promise<Restored> {
  const { folder, name, path, parts } = place;
  const kept = { folder: parts.aside, name: await freeName(parts.aside, path), path, parts };
  await rename(pathIn(folder, name), pathIn(kept.folder, kept.name));
  if (isSameVersion(await versionAt(kept), expected)) return "restored";
  // `link` never replaces a file, so a file that appeared meanwhile stays, too.
  await link(pathIn(kept.folder, kept.name), pathIn(folder, name)).catch(() => undefined);
  return "changed";
}

async function replace(place: Place, before: Version, target: NonNullable<Version>): Promise<Restored> {
  const { folder, name, path, parts } = place;
  const temporary = `.cadre.${asideName(path)}.undo`;
  await rm(pathIn(folder, temporary), { force: true });
  try {
    if (!(await writeVersion(folder, temporary, target, parts))) return "lost";
    if (before === null) return await placeNew(folder, temporary, name);
    const kept = { folder: parts.aside, name: await freeName(parts.aside, path), path, parts };
    await keepCopy(place, before, kept.name);
    await rename(pathIn(folder, temporary), pathIn(folder, name));
    if (before.kind === "link" || isSameVersion(await versionAt(kept), before)) return "restored";
    await rename(pathIn(kept.folder, kept.name), pathIn(folder, name));
    return "changed";
  } finally {
    await rm(pathIn(folder, temporary), { force: true }).catch(() => undefined);
  }
}

/** A hard link keeps the replaced file itself, with everything that a program still writes into it. */
async function keepCopy(
  { folder, name, parts: { aside } }: Place,
  before: Version,
  keptName: string,
): Promise<void> {
  if (before?.kind === "link") return;
  const [from, to] = [pathIn(folder, name), pathIn(aside, keptName)];
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_EXCL));
}

async function placeNew(folder: OpenFolder, temporary: string, name: string): Promise<Restored> {
  try {
    await link(pathIn(folder, temporary), pathIn(folder, name));
    return "restored";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return "changed";
    throw error;
  }
}

async function writeVersion(
  folder: OpenFolder,
  name: string,
  version: NonNullable<Version>,
  { bytesOf }: RestoreParts,
): Promise<boolean> {
  if (version.kind === "link") {
    await symlink(version.to, pathIn(folder, name));
    return true;
  }
  const bytes = version.kind === "file" ? await bytesOf(version.blob) : undefined;
  if (version.kind !== "file" || bytes === undefined) return false;
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  await using file = await openIn(folder, name, O_WRONLY | O_CREAT | O_EXCL, version.mode);
  await file.writeFile(bytes);
  await file.chmod(version.mode);
  await file.sync();
  return true;
}

async function freeName(aside: OpenFolder, path: string): Promise<string> {
  const base = path.split("/").at(-1)!.slice(-100);
  for (let number = 0; ; number++) {
    const name = `${asideName(path)}-${number}-${base}`;
    if ((await lstat(pathIn(aside, name)).catch(() => undefined)) === undefined) return name;
  }
}

const isRemoved = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  );

/** Flushes a folder, so that its entries survive a power cut. Not every system supports this. */
export async function syncFolder(folder: OpenFolder): Promise<void> {
  const handle = await open(pathIn(folder, "."), constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
