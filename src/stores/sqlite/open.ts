// Opens the file, or fails with a sentence that says why and what to do (F35).
// Nothing is written until the file is known to be writable.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CadreError, describeSystemError, messageOf } from "../../errors.ts";
import { isLogDamaged, openPages } from "./pages.ts";
import { MIGRATIONS } from "./schema.ts";

const NFS_MAGIC = 0x6969;
const OLDEST_SQLITE = "3.51.3";
/** SQLITE_IOERR_SHMSIZE: SQLite returns this error when it opens a file on a full disk. */
const NO_ROOM_TO_SHARE = 4874;
const SQL_ERROR = 1;
const READ_ONLY = 8;
/** Codes for a value that does not fit: SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_RANGE. */
const UNFIT_VALUE = new Set([18, 19, 20, 25]);

export function openDatabase(path: string): DatabaseSync {
  refuseOldSqlite(process.versions["sqlite"] ?? "0");
  try {
    if (path !== ":memory:") prepareFile(path);
    if (isLogDamaged(path)) throw damagedError(path, "its write-ahead log is damaged");
    return prepareDatabase(new DatabaseSync(path, { timeout: 5_000, defensive: true }), path);
  } catch (error) {
    throw storageError(error, path);
  }
}

/** Whether the header asks for a version of the file format that does not exist. */
export function hasUnknownFormat(path: string): boolean {
  if (!existsSync(path)) return false;
  const pages = openPages(path);
  const [write = 0, read = 0] = pages.read(1)?.subarray(18, 20) ?? [];
  pages.close();
  return write > 2 || read > 2;
}

function prepareDatabase(db: DatabaseSync, path: string): DatabaseSync {
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000");
    migrate(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite before 3.51.3 can lose a WAL reset under concurrent checkpoints. */
export function refuseOldSqlite(version: string): void {
  if (compareVersions(version, OLDEST_SQLITE) >= 0) return;
  throw new CadreError(
    "STORAGE_UNUSABLE",
    `This Node has SQLite ${version}; Cadre needs ${OLDEST_SQLITE} or later to keep its promises. Use Node 24.15 or later.`,
  );
}

/** Turns any failure of the file into a sentence for people. A CadreError is returned unchanged. */
export function storageError(error: unknown, path: string): CadreError {
  if (error instanceof CadreError) return error;
  const { errcode, code } = error as { errcode?: number; code?: string };
  const primary = errcode === undefined ? undefined : errcode & 0xff;
  const unusable = (text: string): CadreError => new CadreError("STORAGE_UNUSABLE", text, undefined, error);
  if (primary === 13 || errcode === NO_ROOM_TO_SHARE || code === "ENOSPC") {
    return new CadreError(
      "STORAGE_FULL",
      `There is no space left for ${path}. Nothing that was acknowledged is lost and no new step begins; free some space and the runs go on by themselves.`,
      undefined,
      error,
    );
  }
  // SQLite reports some damage as another error, such as a missing table or a read-only file.
  const isDamaged = primary === SQL_ERROR || (primary === READ_ONLY && hasUnknownFormat(path));
  if (isDamaged || primary === 11 || primary === 24 || primary === 26)
    return damagedError(path, messageOf(error), error);
  if (primary === READ_ONLY || primary === 14 || ["EACCES", "EPERM", "EROFS"].includes(code ?? "")) {
    return unusable(
      `${path} cannot be written (${describeSystemError(error)}). Nothing was changed; make the folder writable for this user, or set CADRE_DIR to another one.`,
    );
  }
  if (primary === 5 || primary === 6) {
    return unusable(
      `${path} is held by another program. What was recorded is safe, and nothing of this was written; close what has it open, such as a database browser or a backup, and try again.`,
    );
  }
  if (code === "EEXIST" || code === "ENOTDIR") {
    return unusable(
      `${path} cannot be made (${describeSystemError(error)}). Nothing was changed; move that file away, or set CADRE_DIR to another folder.`,
    );
  }
  return unusable(
    `${path} cannot be read or written (${describeSystemError(error)}). Nothing that was acknowledged is undone; see that its disk is there and sound, and try again.`,
  );
}

/** F30: the sentence names the command that copies the intact trees into a new file. */
export const damagedError = (path: string, reason: string, cause?: unknown): CadreError =>
  new CadreError(
    "STORAGE_UNUSABLE",
    `${path} is not an intact SQLite file (${reason}). It was left as it is; restore a copy (without the -wal and -shm files beside the old one), or run \`cadre doctor --salvage\`, which copies every readable tree into a new file.`,
    undefined,
    cause,
  );

/** Whether the file cannot be read or written. If a value does not fit a column, that is a mistake of the caller instead. */
export function isStorageError(error: unknown): boolean {
  const said = error instanceof CadreError ? (error.cause ?? error) : error;
  const { code, errcode = 0 } = said as { code?: string; errcode?: number };
  return code === "ENOSPC" || (code === "ERR_SQLITE_ERROR" && !UNFIT_VALUE.has(errcode & 0xff));
}

function prepareFile(path: string): void {
  const folder = dirname(path);
  makeFolder(folder);
  if (Number(statfsSync(folder).type) === NFS_MAGIC) {
    throw new CadreError(
      "STORAGE_UNUSABLE",
      `${folder} is on a network file system, where SQLite cannot lock reliably. Set CADRE_DIR to a local folder.`,
    );
  }
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
  else chmodSync(path, 0o600);
}

/** Makes a folder that only this user can enter. It contains a .gitignore, in case it is inside a repository. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  requireWritable(folder);
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) === undefined) return;
  writeFileSync(join(folder, ".gitignore"), "*\n", { mode: 0o600 });
}

/** On a read-only disk, Node's `mkdirSync` reports that the folder is not there. This reports that the disk is read-only. */
function requireWritable(folder: string): void {
  let above = dirname(folder);
  while (!existsSync(above)) above = dirname(above);
  accessSync(above, constants.W_OK);
}

function migrate(db: DatabaseSync, path: string): void {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version > MIGRATIONS.length) {
    throw new CadreError(
      "JOURNAL_NEWER",
      `${path} was written by a newer version of Cadre (format ${version}, this one knows ${MIGRATIONS.length}). It is unharmed: use the newer version. If no newer version ever ran here, the file is damaged: run \`cadre doctor --salvage\`.`,
    );
  }
  if (version === MIGRATIONS.length) return;
  const steps = MIGRATIONS.slice(version).join(";");
  db.exec(`BEGIN IMMEDIATE; ${steps}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
}

function compareVersions(left: string, right: string): number {
  const a = left.split(".").map(Number);
  const b = right.split(".").map(Number);
  for (let i = 0; i < 3; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
