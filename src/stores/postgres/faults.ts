// Turns errors of Postgres and its connection into sentences for people. Distinguishes lost connections, collisions and values that do not fit.
// No sentence contains the password from the database's address.

import { CadreError, describeSystemError } from "../../errors.ts";

/** The address of a store. The form for people has no password. */
export interface DatabaseAddress {
  name: string;
  /** The user and the schema in the address. */
  user: string;
  schema: string | undefined;
  secrets: readonly string[];
}

/** Parses an address. The error for an invalid address does not repeat it, because it could contain a password. */
export function parseAddress(url: string): DatabaseAddress {
  const parsed = URL.parse(url);
  if (!parsed || isAmbiguous(url)) {
    throw new CadreError(
      "CONFIG_INVALID",
      "The store's address cannot be read: use postgres://user:password@host:5432/database, with special characters of the password as %XX.",
    );
  }
  const password = parsed.password === "" ? parsed.searchParams.get("password") : parsed.password;
  const secrets = password
    ? [...new Set([password, decode(password), encodeURIComponent(decode(password))])]
    : [];
  const user = decode(parsed.username) || (parsed.searchParams.get("user") ?? "");
  const [, schema] = /search_path\s*=\s*"?([^",\s]+)/.exec(parsed.searchParams.get("options") ?? "") ?? [];
  return { name: `postgres://${parsed.host || "localhost"}${parsed.pathname}`, user, schema, secrets };
}

/** An unescaped /, ? or # would end the password early. The rest of the password would be read as the host, and shown. */
const isAmbiguous = (url: string): boolean => /^[^/?#]*\/\/[^/?#]*[/?#].*@/s.test(url);

/** True if the connection broke or could not be opened. Then the transaction was not committed and can be tried again. */
export function isConnectionLost(error: unknown): boolean {
  const { code = "" } = error as { code?: string };
  if (LOST_CODES.has(code) || code.startsWith("08") || isOutdated(error)) return true;
  return error instanceof Error && !("severity" in error) && LOST_WORDS.test(error.message);
}

/** Whether a newer Cadre has changed the tables since this connection prepared the statement. */
const isOutdated = (error: unknown): boolean =>
  (error as { code?: string }).code === "0A000" && /cached plan/.test((error as Error).message);

/** Whether two transactions collided, and Postgres rolled back this one. */
export const isCollision = (error: unknown): boolean =>
  ["40001", "40P01"].includes((error as { code?: string }).code ?? "");

/** Whether a value did not fit into a column, which is a mistake of the caller. */
export const isUnfitValue = (error: unknown): boolean =>
  /^(22|23|54)\w{3}$/.test((error as { code?: string }).code ?? "");

/** Turns any failure of the database into a sentence for people. A CadreError is returned unchanged. */
export function storageError(error: unknown, address: DatabaseAddress): CadreError {
  if (error instanceof CadreError) return error;
  const { code = "" } = error as { code?: string };
  const why = maskSecrets(describeSystemError(error), address);
  if (code === "53100") {
    return unusable(
      "STORAGE_FULL",
      `There is no space left for ${address.name}. Nothing that was acknowledged is lost and no new step begins; free some space and the runs go on by themselves.`,
      error,
    );
  }
  if (isUnfitValue(error))
    return unusable(
      "UNPROCESSABLE",
      `${address.name} does not accept this value (${why}). Nothing was written.`,
      error,
    );
  if (code === "53300") {
    return unusable(
      "STORAGE_UNUSABLE",
      `${address.name} has no connection left (${why}). Nothing that was acknowledged is lost; raise max_connections, or run fewer processes.`,
      error,
    );
  }
  if (code.startsWith("28") || code === "3D000") {
    return unusable(
      "STORAGE_UNUSABLE",
      `${address.name} does not let us in (${why}). Nothing was changed; correct the user, password or database in the store's address.`,
      error,
    );
  }
  if (code === "42501" || code === "3F000") {
    return unusable(
      "STORAGE_UNUSABLE",
      `${address.name} does not let us make or use the tables (${why}). Nothing was changed; a user with the right to do so must run: ${rightFor(code, why, address)}`,
      error,
    );
  }
  if (isConnectionLost(error)) {
    return unusable(
      "STORAGE_UNUSABLE",
      `${address.name} cannot be reached (${why}). Nothing that was acknowledged is lost, and nothing of this was written; it goes on when the database is back.`,
      error,
    );
  }
  if (code === "ENOTFOUND") {
    return unusable(
      "STORAGE_UNUSABLE",
      `${address.name} cannot be reached (${why}). Nothing was changed; correct the host in the store's address.`,
      error,
    );
  }
  return unusable(
    "STORAGE_UNUSABLE",
    `${address.name} has failed (${why}). Nothing that was acknowledged is lost; the database's own log says more.`,
    error,
  );
}

/** The statement that grants the missing right. */
function rightFor(code: string, why: string, { user, schema }: DatabaseAddress): string {
  const to = `TO ${user === "" ? "<the user>" : quote(user)}`;
  // Postgres reports a schema as missing if the user has no USAGE right on it.
  if (code === "3F000")
    return `CREATE SCHEMA IF NOT EXISTS ${quote(schema ?? "public")}; GRANT USAGE, CREATE ON SCHEMA ${quote(schema ?? "public")} ${to}`;
  const [, kind, name = ""] = /permission denied for (schema|database) (\S+)/.exec(why) ?? [];
  // The tables of pg-boss are in a separate schema.
  if (kind === "database") return `GRANT CREATE ON DATABASE ${quote(name)} ${to}`;
  if (kind === "schema") return `GRANT USAGE, CREATE ON SCHEMA ${quote(name)} ${to}`;
  return `GRANT ALL ON ALL TABLES IN SCHEMA ${quote(schema ?? "public")} ${to}`;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The error when a database cannot be opened. Unlike later errors, it does not promise that work continues by itself. */
export function openError(error: unknown, address: DatabaseAddress): CadreError {
  if (
    !isConnectionLost(error) ||
    error instanceof CadreError ||
    (error as { code?: string }).code === "53300"
  )
    return storageError(error, address);
  const why = maskSecrets(describeSystemError(error), address);
  return unusable(
    "STORAGE_UNUSABLE",
    `${address.name} cannot be reached (${why}). Nothing was done, and nothing that was acknowledged is lost; try again when the database is back.`,
    error,
  );
}

/** The answer to a commit was lost, and Postgres could not be asked whether the commit succeeded. */
export function unknownOutcomeError(address: DatabaseAddress): CadreError {
  return new CadreError(
    "STORAGE_UNUSABLE",
    `${address.name} was lost in the middle of a commit, so it is not known whether this was written. It is safe to ask for it again: what is there is not written twice.`,
  );
}

const LOST_CODES = new Set([
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "25P03",
  "53300",
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOENT",
]);
/**
 * The driver `pg` reports these failures without a code. Only the text of the message says that a cached plan failed, or which permission is missing.
 * This file therefore recognises these failures by their wording, and all others by their codes.
 */
const LOST_WORDS =
  /connection (terminated|ended|error)|not queryable|timeout exceeded when trying|read timeout/i;

function unusable(code: "STORAGE_FULL" | "STORAGE_UNUSABLE" | "UNPROCESSABLE", text: string, cause: unknown) {
  return new CadreError(code, text, undefined, cause);
}

function maskSecrets(text: string, { secrets }: DatabaseAddress): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, "***"), text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
