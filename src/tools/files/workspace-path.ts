// Resolves a path from the model. Rules judge the path as written, so the path must name the file that is really used.
// If links lead a path elsewhere, the path is refused. The error gives the real path, so that rules can judge the next call (A34, A35).
// This file only checks paths. `open-folder.ts` opens the files.

import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** A path in the workspace, split into the names of its folders and file, starting at the root. */
export interface WorkspacePath {
  root: string;
  /** The list is empty for the root. */
  names: readonly string[];
  /** The path as people and models write it. `.` is the root. */
  relative: string;
  exists: boolean;
}

/** `why` is one sentence for the model. */
export type ResolvedPath = ({ ok: true } & WorkspacePath) | { ok: false; why: string };

export async function resolveInWorkspace(workspace: string, path: string): Promise<ResolvedPath> {
  if (path.includes("\0")) return refuse("a path cannot hold a NUL character");
  const root = await realpath(workspace).catch(() => undefined);
  if (root === undefined) return refuse(`the workspace ${workspace} does not exist`);
  const named =
    isAbsolute(path) && isInside(resolve(workspace), resolve(path))
      ? relative(resolve(workspace), path)
      : path;
  const absolute = resolve(root, named);
  if (!isInside(root, absolute))
    return refuse(`${path} is outside the workspace: only files in it can be used`);

  const real = await realPlace(absolute);
  if ("why" in real) return refuse(`${path} ${real.why}`);
  if (!isInside(root, real.path))
    return refuse(`${path} leads outside the workspace by a link: only files in it can be used`);
  // Only a shell replaces `~`. A new file would be created in a folder with that name.
  if (/^~(\/|$)/.test(path) && real.missing > 0)
    return refuse(`${path} is in the home folder, outside the workspace: only files in it can be used`);
  if (real.path !== absolute)
    return refuse(
      `${path} is reached by a link: use ${portable(relative(root, real.path))}, where it really is`,
    );
  const names = relative(root, absolute).split(sep).filter(Boolean);
  const problem = await nameProblem(root, names, real.missing);
  if (problem !== undefined) return refuse(`${path} ${problem}`);
  return { ok: true, root, names, relative: names.join("/") || ".", exists: real.missing === 0 };
}

/** Resolves the deepest existing folder. The rest of the path does not exist yet, so it contains no links. */
async function realPlace(absolute: string): Promise<{ path: string; missing: number } | { why: string }> {
  const missing: string[] = [];
  for (let at = absolute; ; at = dirname(at)) {
    try {
      return { path: join(await realpath(at), ...missing), missing: missing.length };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ELOOP") return { why: "is a link that leads back to itself" };
      if (code === "ENOTDIR") return { why: "goes through a file as if it were a folder" };
      if (code === "ENAMETOOLONG") return { why: "is too long for a path" };
      if (code !== "ENOENT") return { why: `cannot be reached (${code})` };
    }
    // The link is dangling: writing would create the file that it points to.
    if (await isLink(at)) return { why: "is a link that leads nowhere" };
    missing.unshift(basename(at));
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

/** Existing names must be spelled as on disk. New names must mean the same file on every system. */
async function nameProblem(
  root: string,
  names: readonly string[],
  missing: number,
): Promise<string | undefined> {
  const there = names.length - missing;
  for (const [index, name] of names.entries()) {
    if (index >= there || process.platform === "win32") {
      const why = unportableName(name);
      if (why !== undefined) return `cannot be used: ${JSON.stringify(name)} ${why}`;
    }
    if (index >= there) continue;
    const before = names.slice(0, index);
    const other = await spellingOnDisk(join(root, ...before), name);
    if (other !== undefined)
      return `is spelled otherwise: use ${[...before, other, ...names.slice(index + 1)].join("/")}`;
  }
  return undefined;
}

/** `/w/proj-evil` is not inside `/w/proj`. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

const portable = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"));

const refuse = (why: string): ResolvedPath => ({ ok: false, why });

const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.|$)/i;

/** Says why no file should be created under this name: on some system, the name would mean another file (A36). */
export function unportableName(name: string): string | undefined {
  if (/[. ]$/.test(name)) return "ends in a dot or a space, which other systems drop";
  if (/:[^:]*:?\$|:$/.test(name) || (process.platform === "win32" && name.includes(":")))
    return "names a stream of another file on Windows";
  if (DEVICE.test(name)) return "is the name of a device on Windows";
  if (/\p{Cc}/u.test(name)) return "holds a control character";
  if (name.normalize("NFC") !== name)
    return "is not in the composed form of Unicode, which other systems take for the same";
  return undefined;
}

/** Returns the name on disk if it differs from `name`. Rules judge the spelling, so tools accept only the spelling on disk (A36). */
export async function spellingOnDisk(folder: string, name: string): Promise<string | undefined> {
  const found = await identity(join(folder, name));
  if (found === undefined) return undefined;
  const variants = [name.toUpperCase(), name.toLowerCase(), name.normalize("NFC"), name.normalize("NFD")];
  for (const variant of new Set(variants)) {
    if (variant === name || (await identity(join(folder, variant))) !== found) continue;
    // The entry has two spellings: either the file system ignores case, or there are two hard links.
    const names = await readdir(folder);
    return names.includes(name) ? undefined : names.find((other) => foldName(other) === foldName(name));
  }
  return undefined;
}

async function identity(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  return stats && `${stats.dev}:${stats.ino}`;
}

const foldName = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[. ]+$/, "");

/**
 * Finds out where an absolute path really leads. The permissions use this to judge a command before it runs.
 * A path inside the workspace might lead outside through a link (A35).
 * The path is resolved as the system would do it: `link/../x` might not be `x`. `real` is undefined if the path cannot be resolved.
 */
export function inspectPath(path: string): { real: string | undefined; isFolder: boolean } {
  const parts = path.split("/");
  const upTo = (end: number): string => parts.slice(0, end).join("/") || "/";
  try {
    // If a part of the path does not exist, nothing below it exists. So a binary search finds the last part that exists.
    let end = parts.length;
    let stats = statOf(upTo(end));
    if (!stats) {
      let [exists, missing] = [0, end];
      for (let probe = end - 1; missing - exists > 1; probe = (exists + missing) >> 1) {
        if (statOf(upTo(probe))) exists = probe;
        else missing = probe;
      }
      end = exists;
      stats = end > 0 ? statOf(upTo(end)) : undefined;
      // If the next part is a link that leads nowhere, the path behind it is unknown.
      if (!stats || isEntry(upTo(end + 1))) return UNRESOLVED;
    }
    const real = realpathSync.native(upTo(end));
    const missing = parts.slice(end);
    if (missing.length === 0) return { real, isFolder: stats.isDirectory() };
    return { real: missing.includes("..") ? undefined : join(real, ...missing), isFolder: false };
  } catch {
    return UNRESOLVED;
  }
}

const UNRESOLVED = { real: undefined, isFolder: false };

/** A path that is too long for the system does not exist. `throwIfNoEntry` is false, because missing paths are common and exceptions are slow. */
const statOf = (path: string): Stats | undefined =>
  unlessTooLong(() => statSync(path, { throwIfNoEntry: false }));

const isEntry = (path: string): boolean =>
  unlessTooLong(() => lstatSync(path, { throwIfNoEntry: false })) !== undefined;

function unlessTooLong<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENAMETOOLONG") return undefined;
    throw error;
  }
}
