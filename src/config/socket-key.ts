// The key that a client sends with each request to a project's private socket (A93).
// A sandbox hides the socket, but a mistake there must not be enough to approve a call. So the socket also requires this key.
//  SK1  The secret is in the user's own folder, which every sandbox hides. It is never in a project's folder.
//  SK2  Each socket has a key of its own, which is derived from the secret and the path of the socket.
//       A program that pretends to be one project's socket learns no key of another.

import { createHmac, randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CadreError, describeSystemError } from "../errors.ts";
import { type Env, userFolder } from "./trust.ts";

export const socketSecretFile = (env: Env): string => join(userFolder(env), "socket.key");

/** The key of a socket, for its server. Creates the user's secret if there is none. */
export function createSocketKey(socket: string, env: Env): string {
  const file = socketSecretFile(env);
  try {
    createSecret(file);
    const key = readSocketKey(socket, env);
    if (key !== undefined) return key;
  } catch (error) {
    throw unusable(file, describeSystemError(error), error);
  }
  throw unusable(file, "it holds no key; remove it");
}

/** The key of a socket, for its clients. Undefined if the user has no valid secret. */
export function readSocketKey(socket: string, env: Env): string | undefined {
  try {
    const secret = readFileSync(socketSecretFile(env), "utf8").trim();
    if (!SECRET.test(secret)) return undefined;
    const path = join(realpathSync(dirname(socket)), basename(socket));
    return createHmac("sha256", secret).update(path).digest("base64url");
  } catch {
    return undefined;
  }
}

const SECRET = /^[0-9a-f]{64}$/;

/** Never replaces a secret: of two processes that start at the same time, the second uses the secret of the first. */
function createSecret(file: string): void {
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    readFileSync(file);
    return;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  try {
    writeFileSync(draft, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code;

const unusable = (file: string, reason: string, cause?: unknown): CadreError =>
  new CadreError(
    "STORAGE_UNUSABLE",
    `The key of Cadre's socket, ${file}, cannot be used (${reason}).`,
    undefined,
    cause,
  );
