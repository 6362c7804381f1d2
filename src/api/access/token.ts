// The token of a folder. A file keeps the token across restarts, and only the file's owner can read the file.

import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tokenFile } from "../../config/secrets.ts";

/** Minimum length of a token. A shorter token could be guessed. */
export const MIN_TOKEN = 24;

/** Reads the folder's token. If the folder has no token or its token is too short, creates a new token. */
export function readOrCreateToken(dir: string): string {
  return readToken(dir) ?? renewToken(dir);
}

export function renewToken(dir: string): string {
  const token = randomBytes(32).toString("base64url");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  // Write a temporary file and rename it, so that readers never see half a token. Overwriting would keep the old file's permissions.
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
