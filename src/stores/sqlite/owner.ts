// The owner of a SQLite file (E1): exactly one process opens the store for writing, and all others are its clients.
//  O1  The lock decides. The owner holds `BEGIN EXCLUSIVE` on owner.db as long as it lives. The kernel frees the lock when the owner dies.
//      owner.json only names the owner and can be outdated. It never blocks another process.
//  O2  owner.db is never opened with `fs` once it exists, because closing any descriptor of a file drops the process's locks on it.

import { hash } from "node:crypto";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import { makeFolder, storageError } from "./open.ts";

export interface OwnerInfo {
  pid: number;
  socket: string;
  startedAt: number;
  version: string;
}

export interface Ownership {
  /** Lets the next process become the owner. Close the store first. */
  release(): void;
}

const SQLITE_BUSY = 5;
/** How long to wait for the owner to write its name. After that, the content of owner.json is used as it is. */
const PATIENCE_MS = 2_000;
/** The address of a socket has at most 104 bytes on macOS and 108 on Linux, including its terminator. */
const LONGEST_SOCKET = 100;
/** Keeps references to connections, because a garbage-collected connection is closed and loses its lock. */
const locks = new Set<DatabaseSync>();

/** Makes this process the owner, or returns which process owns the folder. */
export async function takeOwnership(
  folder: string,
  self: Pick<OwnerInfo, "startedAt" | "version">,
): Promise<Ownership | { owner: OwnerInfo }> {
  const nameFile = join(folder, "owner.json");
  const until = systemClock.elapsed() + PATIENCE_MS;
  for (;;) {
    const lock = tryLock(folder);
    if (lock) return becomeOwner(lock, nameFile, { pid: process.pid, socket: socketPath(folder), ...self });
    const owner = readName(nameFile);
    const patient = systemClock.elapsed() < until;
    if (owner && (isAlive(owner.pid) || !patient)) return { owner };
    if (!patient) {
      throw new CadreError(
        "STORE_OWNED",
        `Another process owns ${folder} but does not say which (${nameFile} is missing). Nothing was changed; stop that process, or try again.`,
      );
    }
    await pause(5 + (process.pid % 16));
  }
}

/** The socket of a folder's owner. It is in the folder, or under a shorter path if the folder's path is too long for a socket. */
export function socketPath(folder: string): string {
  const inside = join(resolve(folder), "cadre.sock");
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET) return inside;
  const short = join(tmpdir(), `cadre-${process.getuid?.() ?? "user"}`);
  mkdirSync(short, { recursive: true, mode: 0o700 });
  refuseForeign(short);
  return join(short, `${hash("sha256", inside, "hex").slice(0, 16)}.sock`);
}

function tryLock(folder: string): DatabaseSync | undefined {
  const path = join(folder, "owner.db");
  let db: DatabaseSync | undefined;
  try {
    makeFolder(folder);
    if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db?.close();
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY) return undefined;
    throw storageError(error, path);
  }
}

function becomeOwner(lock: DatabaseSync, nameFile: string, info: OwnerInfo): Ownership {
  locks.add(lock);
  const draft = `${nameFile}.${info.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(info)}\n`, { mode: 0o600 });
    renameSync(draft, nameFile);
  } catch (error) {
    locks.delete(lock);
    lock.close();
    throw storageError(error, dirname(nameFile));
  }
  return {
    release() {
      if (!locks.delete(lock)) return;
      rmSync(nameFile, { force: true });
      lock.close();
    },
  };
}

function readName(nameFile: string): OwnerInfo | undefined {
  try {
    return JSON.parse(readFileSync(nameFile, "utf8")) as OwnerInfo;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/** All users can write to the temporary folder, so another user might have created this folder first. */
function refuseForeign(folder: string): void {
  const found = lstatSync(folder);
  const isOurs = found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid);
  if (isOurs && (found.mode & 0o077) === 0) return;
  throw new CadreError(
    "STORAGE_UNUSABLE",
    `${folder} is not a folder of this user alone, so no socket is opened in it. Remove it, or set CADRE_DIR to a shorter path.`,
  );
}
