// A store that lies in a folder may have come with it: with runs that were approved and grants that were given by somebody
// else. Which stores this person's own commands have made is kept where no project can write, like trust. In a folder that
// is trusted, whatever lies there counts.

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CadreError } from "../errors.ts";
import { type Env, realFolder, userFolder } from "./trust.ts";

export interface StoreLocation {
  folder: string;
  /** Where Cadre keeps what is its own. */
  dir: string;
  /** `sqlite:` with a path; another store is named by the person alone. */
  store: string;
  trusted: boolean;
}

export interface StoreCheck {
  /** Once it is open: is it the one that was there the last time? Then it is remembered. */
  confirmOpened(storeId: string): void;
}

const NOT_MADE_YET = "-";
/** In the place of a store: what is kept in the folder beside it. */
const IN_FOLDER = "";

/** Before anything in the folder is opened. Throws where a store is there that this person has not made. */
export function checkStore(place: StoreLocation, env: Env): StoreCheck {
  if (isForeignStore(place, env)) throw brought(place);
  const isNew = !hasStore(place) && (!isThere(place.dir) || isOwnFolder(place, env));
  // Before it is made: the next command may come before this one is through, or this one be killed. Whoever deletes a
  // store begins anew: the one that comes is theirs, not a stranger's.
  if (isNew && knownStore(place, env) !== NOT_MADE_YET) remember(place, NOT_MADE_YET, env);
  return {
    confirmOpened(storeId) {
      const now = knownStore(place, env);
      if (now === storeId) return;
      // Git replaces ignored files without a word: what a pull has put there is not what was made here.
      if (!place.trusted && now !== undefined && now !== NOT_MADE_YET) throw brought(place);
      remember(place, storeId, env);
    },
  };
}

/** Whether there is one that nobody here has made: for those who say so before it is opened. */
export function isForeignStore(place: StoreLocation, env: Env): boolean {
  if (place.trusted || knownStore(place, env) !== undefined) return false;
  return hasStore(place) || (isThere(place.dir) && !isOwnFolder(place, env));
}

function brought({ dir }: StoreLocation): CadreError {
  return new CadreError(
    "UNTRUSTED",
    `${dir} was not made here by you: it came with the folder, and may hold approvals and runs of somebody else. Nothing was opened or changed. Run \`cadre trust\` if you know what is in it; if not, move it away.`,
  );
}

const hasStore = ({ store }: StoreLocation): boolean => pathOf(store).some(isThere);

/** Whether there is anything of Cadre's, ours or a stranger's. */
export const hasState = ({ dir, store }: StoreLocation): boolean => [dir, ...pathOf(store)].some(isThere);

/** A link counts as something that is there, wherever it leads. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Below a file, or where nobody may look: whoever opens it says so.
    return false;
  }
}

/** Made by this person, for whichever store they used here before. */
const isOwnFolder = (place: StoreLocation, env: Env): boolean =>
  [place.store, IN_FOLDER, `sqlite:${join(place.dir, "cadre.db")}`].some(
    (store) => knownStore({ ...place, store }, env) !== undefined,
  );

const pathOf = (store: string): string[] =>
  store.startsWith("sqlite:") && store !== "sqlite::memory:" ? [store.slice("sqlite:".length)] : [];

/** By the folder and the real place of the store: a link to another project's store is not this project's. */
function recordOf({ folder, dir, store }: StoreLocation, env: Env): string {
  const real = [realFolder(folder), reallyAt(dir), ...pathOf(store).map(reallyAt)].join("\n");
  const name = createHash("sha256").update(real).digest("hex").slice(0, 32);
  return join(userFolder(env), "stores", name);
}

/** Of what may not be there yet: where it would be. */
function reallyAt(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(reallyAt(dirname(path)), path.slice(dirname(path).length));
  }
}

function knownStore(place: StoreLocation, env: Env): string | undefined {
  try {
    return readFileSync(recordOf(place, env), "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Where it cannot be kept, the folder has to be trusted the next time. */
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
