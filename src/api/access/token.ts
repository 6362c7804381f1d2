// The token of a folder, in a file that only its owner can read, so that it survives restarts.

import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tokenFile } from "../../config/secrets.ts";

/** Length of the shortest token that cannot be guessed. */
export const MIN_TOKEN = 24;

/** Creates a token if there is none, or only one that is too short. */
export function readOrCreateToken(dir: string): string {
  return readToken(dir) ?? renewToken(dir);
}

export function renewToken(dir: string): string {
  const token = randomBytes(32).toString("base64url");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  // Write a draft and rename it: readers never see half a token, and an old file with a wider mode is replaced.
  const draft = `${tokenFile(dir)}.${process.pid}`;
  writeFileSync(draft, `${token}\n`, { mode: 0o600 });
  renameSync(draft, tokenFile(dir));
  return token;
}

export function readToken(dir: string): string | undefined {
  try {
    const token = readFileSync(tokenFile(dir), "utf8").trim();
    return token.length >= MIN_TOKEN ? token : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
