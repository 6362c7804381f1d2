// A store in a project's folder might have been copied with the folder, and can contain another person's approvals and grants.
// Therefore Cadre remembers which stores were created by this user's own commands.
// The list of these stores is outside of every project, like the list of trusted folders. A trusted folder can use any store.

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CadreError } from "../errors.ts";
import { type Env, realFolder, userFolder } from "./trust.ts";

export interface StoreLocation {
  folder: string;
  /** Folder for Cadre's own files. */
  dir: string;
  /** `sqlite:` with a path. Stores of other kinds are not checked, because the user always names them. */
  store: string;
  trusted: boolean;
}

export interface StoreCheck {
  /** The id of the store that was opened here last. Undefined if none was. */
  storeId: string | undefined;
  /** Call this when the store is open. Throws if this folder had a different store before; otherwise remembers the opened store. */
  confirmOpened(storeId: string): void;
}

const NOT_MADE_YET = "-";
/** A record about the whole folder has this text in place of a store's address. */
const IN_FOLDER = "";

/** Throws if the folder has a store that this user has not created. Call this before anything in the folder is opened. */
export function checkStore(place: StoreLocation, env: Env): StoreCheck {
  if (isForeignStore(place, env)) throw foreignStoreError(place);
  const isNew = !hasStore(place) && (!exists(place.dir) || isOwnFolder(place, env));
  // The store is remembered before it is created, because this command might be killed between the two steps.
  // If a user deletes a store, the next store in this place is treated as the user's own.
  if (isNew && knownStore(place, env) !== NOT_MADE_YET) remember(place, NOT_MADE_YET, env);
  const known = knownStore(place, env);
  return {
    storeId: known === NOT_MADE_YET ? undefined : known,
    confirmOpened(storeId) {
      const now = knownStore(place, env);
      if (now === storeId) return;
      // `git pull` can silently replace the store that was created here.
      if (!place.trusted && now !== undefined && now !== NOT_MADE_YET) throw foreignStoreError(place);
      remember(place, storeId, env);
    },
  };
}

/** Whether the folder has a store that this user has not created. */
export function isForeignStore(place: StoreLocation, env: Env): boolean {
  if (place.trusted || knownStore(place, env) !== undefined) return false;
  return hasStore(place) || (exists(place.dir) && !isOwnFolder(place, env));
}

function foreignStoreError({ dir }: StoreLocation): CadreError {
  return new CadreError(
    "UNTRUSTED",
    `${dir} was not made here by you: it came with the folder, and may hold approvals and runs of somebody else. Nothing was opened or changed. Run \`cadre trust\` if you know what is in it; if not, move it away.`,
  );
}

const hasStore = ({ store }: StoreLocation): boolean => pathOf(store).some(exists);

/** Whether the folder contains any state of Cadre, created by this user or by another. */
export const hasState = ({ dir, store }: StoreLocation): boolean => [dir, ...pathOf(store)].some(exists);

/** A symbolic link exists even if its target is missing. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The path is below a file, or access is not permitted. The error is reported when the store is opened.
    return false;
  }
}

/** Whether this user has created any store in this folder before. */
const isOwnFolder = (place: StoreLocation, env: Env): boolean =>
  [place.store, IN_FOLDER, `sqlite:${join(place.dir, "cadre.db")}`].some(
    (store) => knownStore({ ...place, store }, env) !== undefined,
  );

const pathOf = (store: string): string[] =>
  store.startsWith("sqlite:") && store !== "sqlite::memory:" ? [store.slice("sqlite:".length)] : [];

/** The record's name contains the folder and the real path of the store, so a link to another project's store does not match. */
function recordOf({ folder, dir, store }: StoreLocation, env: Env): string {
  const real = [realFolder(folder), realPath(dir), ...pathOf(store).map(realPath)].join("\n");
  const name = createHash("sha256").update(real).digest("hex").slice(0, 32);
  return join(userFolder(env), "stores", name);
}

/** The real path, even if the file does not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), path.slice(dirname(path).length));
  }
}

function knownStore(place: StoreLocation, env: Env): string | undefined {
  try {
    return readFileSync(recordOf(place, env), "utf8").trim();
  } catch {
    return undefined;
  }
}

/** If the record cannot be written, the user has to trust the folder next time. */
function remember(place: StoreLocation, storeId: string, env: Env): void {
  record(place, storeId, env);
  const folder = { ...place, store: IN_FOLDER };
  if (!isOwnFolder(folder, env)) record(folder, NOT_MADE_YET, env);
}

function record(place: StoreLocation, storeId: string, env: Env): void {
  const file = recordOf(place, env);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}`, `${storeId}\n`, { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {}
}
