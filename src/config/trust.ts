// Remembers which folders the user trusts. The user is asked once, and the answer is stored where no project can write.

import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { CadreError, describeSystemError } from "../errors.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Whether the user allows this folder to set endpoints, start commands and allow calls. */
export function isTrusted(folder: string, env: Env): boolean {
  if (env["CADRE_TRUST"] === "1") return true;
  return readTrust(env).folders.includes(realFolder(folder));
}

/** True if the user declined to trust the folder. Cadre then does not ask again. */
export function isDeclined(folder: string, env: Env): boolean {
  return readTrust(env).declined.includes(realFolder(folder));
}

export const trustedFolders = (env: Env): string[] => readTrust(env).folders;

/** The hooks of a trusted folder, as they were when it was trusted. `hook-pins.ts` reads them. */
export const hookPinsOf = (folder: string, env: Env): Pins | undefined =>
  readTrust(env).hooks[realFolder(folder)];

/** Records the user's answer about a folder. `pins` are its hooks as they are now: later changes need another answer. */
export function setTrust(
  folder: string,
  answer: "trusted" | "declined" | "forgotten",
  env: Env,
  pins: Pins = {},
): void {
  const real = realFolder(folder);
  const { folders, declined, hooks } = readTrust(env);
  const pinned = Object.entries(hooks).filter(([path]) => path !== real);
  if (answer === "trusted" && Object.keys(pins).length > 0) pinned.push([real, pins]);
  const others = (list: readonly string[]): string[] => list.filter((path) => path !== real);
  const next = {
    folders: [...others(folders), ...(answer === "trusted" ? [real] : [])].sort(),
    declined: [...others(declined), ...(answer === "declined" ? [real] : [])].sort(),
    ...(pinned.length > 0 ? { hooks: Object.fromEntries(pinned) } : {}),
  };
  const file = trustFile(env);
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    throw new CadreError(
      "STORAGE_UNUSABLE",
      `The list of trusted folders, ${file}, cannot be written (${describeSystemError(error)}). Nothing was changed. CADRE_TRUST=1 trusts the folder for one command.`,
      undefined,
      error,
    );
  }
}

/** Folder for the user's own settings, outside of every project. */
export function userFolder(env: Env): string {
  const base = env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config");
  return join(base, "cadre");
}

const trustFile = (env: Env): string => join(userFolder(env), "trusted.json");

const Pins = z.record(z.string(), z.record(z.string(), z.string()));
type Pins = Readonly<z.output<typeof Pins>>;

const TrustFile = z.object({
  folders: z.array(z.string()),
  declined: z.array(z.string()).default([]),
  hooks: z.record(z.string(), Pins).default({}),
});

/** Reads the list of trusted folders. If it cannot be read, no folder is trusted. */
function readTrust(env: Env): z.output<typeof TrustFile> {
  try {
    return TrustFile.parse(JSON.parse(readFileSync(trustFile(env), "utf8")));
  } catch {
    return { folders: [], declined: [], hooks: {} };
  }
}

/** Returns the real path of a folder, with links resolved. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
