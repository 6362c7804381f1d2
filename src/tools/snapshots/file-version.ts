// Reads what is at a path, for `cadre undo`: the hash of a file's bytes, the target of a link, or a folder.
// Files that usually hold keys, and files that contain a secret, are never read into a store. Only their size and time are noted.

import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import type { FileVersion } from "../../journal/events.ts";
import { type OpenFolder, openFolder, openRegularFile, pathIn } from "../files/open-folder.ts";

/** Larger files are not kept. */
export const MAX_KEPT_BYTES = 10 * 1024 * 1024;

export interface ReadVersion {
  /** Null if nothing is there. */
  version: FileVersion | null;
  /** The bytes of a file whose version can be kept. */
  bytes?: Buffer;
  stats?: BigIntStats;
}

/** Says which contents are not kept. */
export interface ReadRules {
  /** Whether a file usually holds keys, according to its path. */
  holdsKeys(path: string): boolean;
  /** Whether a text contains a secret of the project. */
  holdsSecret(text: string): boolean;
}

/** The version at a path of the workspace. Links on the way are not followed: behind a link, nothing counts as there. */
export async function readVersion(root: string, path: string, rules: ReadRules): Promise<ReadVersion> {
  const names = path.split("/");
  try {
    await using folder = await openFolder(root, names.slice(0, -1));
    return await readVersionIn(folder, names.at(-1)!, { path, rules });
  } catch (error) {
    if (isMissing(error)) return { version: null };
    return { version: { kind: "unkept", why: "unreadable", mark: codeOf(error) } };
  }
}

/** The version of an entry of an open folder. `path` is the entry's path in the workspace, which shows whether it holds keys. */
export async function readVersionIn(
  folder: OpenFolder,
  name: string,
  { path, rules }: { path: string; rules: ReadRules },
): Promise<ReadVersion> {
  const stats = await lstat(pathIn(folder, name), { bigint: true }).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!stats) return { version: null };
  if (stats.isDirectory()) return { version: { kind: "folder" }, stats };
  if (stats.isSymbolicLink())
    return { version: { kind: "link", to: await readlink(pathIn(folder, name)) }, stats };
  if (!stats.isFile()) return { version: unkept("unreadable", stats), stats };
  if (rules.holdsKeys(path)) return { version: unkept("secret", stats), stats };
  if (stats.size > MAX_KEPT_BYTES) return { version: unkept("large", stats), stats };
  const bytes = await readBytes(folder, name);
  if (bytes === undefined) return { version: unkept("unreadable", stats), stats };
  if (rules.holdsSecret(bytes.toString("latin1"))) return { version: unkept("secret", stats), stats };
  return {
    version: { kind: "file", blob: blobNameOf(bytes), mode: Number(stats.mode & 0o777n) },
    bytes,
    stats,
  };
}

/** The name under which a store keeps the bytes of a file. */
export const blobNameOf = (bytes: Uint8Array): string =>
  `f${createHash("sha256").update(bytes).digest("hex")}`;

export const unkept = (
  why: Extract<FileVersion, { kind: "unkept" }>["why"],
  { size, mtimeNs }: Pick<BigIntStats, "size" | "mtimeNs">,
): FileVersion => ({ kind: "unkept", why, mark: `${size}:${mtimeNs}` });

async function readBytes(folder: OpenFolder, name: string): Promise<Buffer | undefined> {
  try {
    await using file = await openRegularFile(folder, name);
    return await file.readFile();
  } catch (error) {
    if (isMissing(error)) throw error;
    return undefined;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unreadable";

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error));
