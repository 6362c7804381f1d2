// Finds values that must not be recorded: passwords in addresses, and values of variables whose names suggest a secret.
// The values come from this process's environment and from the project's `.env` files.
// Cadre reads `.env` files only to mask their values, and sets no variables from them.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parseEnv } from "node:util";
import { holdsKeys } from "../key-files.ts";
import type { Env } from "./trust.ts";

export interface NamedSecret {
  name: string;
  value: string;
}

/** `certain` lists the variables that the configuration marks as secret, even if their names do not suggest it. */
export function environmentSecrets(env: Env, certain: readonly string[] = []): NamedSecret[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (certain.includes(name)) return secretsIn(name, [value.trim()]);
    return variableSecrets(name, value);
  });
}

/** Finds secrets in the configuration itself, such as headers of providers and variables of MCP servers. */
export function configuredSecrets(value: unknown): NamedSecret[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "string" ? variableSecrets(name, withoutScheme(inner)) : configuredSecrets(inner),
  );
}

/** Treats every text at any depth as a secret. */
export function everyText(value: unknown, name = "setting"): NamedSecret[] {
  if (typeof value === "string") return secretsIn(name, [withoutScheme(value)]);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => everyText(inner, key));
}

/** Treats all values of headers as secrets, because any header can contain a key. */
export const headerSecrets = (headers: Readonly<Record<string, string>>): NamedSecret[] =>
  Object.entries(headers).flatMap(([name, value]) => secretsIn(name, [withoutScheme(value)]));

const withoutScheme = (value: string): string => value.replace(/^(?:Bearer|Basic|Token)\s+/i, "");

const SHORTEST = 8;

function variableSecrets(name: string, value: string): NamedSecret[] {
  const text = value.trim();
  const password = passwordsOf(text);
  if (password.length > 0) return secretsIn(name, password);
  return namesSecret(name) && looksSecret(text) ? secretsIn(name, [text]) : [];
}

const secretsIn = (name: string, values: readonly string[]): NamedSecret[] =>
  values
    .filter(({ length }) => length >= SHORTEST)
    .map((value) => ({ name: name.replace(/[^\w.-]/g, "_"), value }));

const ANYWHERE = /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY/;
/** Words that suggest a secret only if they are whole: `GIT_AUTHOR_NAME` and `MONKEYS` do not match. KEY also matches at a name's end. */
const AS_A_WORD =
  /(?:^|_)(?:KEYS?|O?AUTH2?|AUTHORIZATION|PASS|PWD|PAT|DSN|JWT|BEARER|COOKIE|PRIVATE)(?:_|$)|KEY$/;
/** A variable whose name ends with one of these words describes a secret but does not contain it. */
const ABOUT =
  /_(?:NAME|FILE|PATH|DIR|TTL|EXPIR\w*|TYPE|METHOD|URL|URI|ENDPOINT|HOST|PORT|MODE|ALG\w*|LENGTH|SIZE|COUNT|LIMIT|ENABLED|HEADER|ISSUER|AUDIENCE|PREFIX|SOCK|COMMAND|HELPER|ENV)$/;
const NO_SECRET = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY"]);

function namesSecret(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
  if (NO_SECRET.has(words) || ABOUT.test(words)) return false;
  return ANYWHERE.test(words) || AS_A_WORD.test(words);
}

/** Placeholders and everyday words are not secrets: masking them would garble other text. */
const COMMON =
  /^(?:undefined|disabled|required|optional|anonymous|password|passwort|username|localhost|changeme|change[-_ ]?me|production|development|interactive|automatic|credentials?|client[-_]secret(?:[-_]\w+)?|your[-_ ].*|<.*>|\$\{?\w+\}?|x+|\*+|\.+)$/i;

function looksSecret(value: string): boolean {
  if (value.length < SHORTEST || COMMON.test(value)) return false;
  // Numbers, times, versions, files, and addresses without a password are not secrets.
  if (/^[\d.,:_+\-/ TZ]+$/.test(value) || /^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return false;
  return !isFile(value);
}

const isFile = (value: string): boolean =>
  /^(?:~|\.{1,2})?\//.test(value) && (existsSync(value) || /\.[a-z]{2,5}$/.test(value));

/** Returns the password in an address such as `postgres://user:password@host/db`, as written and decoded. */
function passwordsOf(value: string): string[] {
  const start = /^[a-z][a-z0-9+.-]*:\/\//i.exec(value)?.[0].length;
  const end = value.lastIndexOf("@");
  if (start === undefined || end < start || /\s/.test(value.slice(end))) return [];
  const signIn = value.slice(start, end);
  const colon = signIn.indexOf(":");
  const written = signIn.slice(colon + 1);
  if (colon < 0 || written === "" || /[/?#\s]/.test(signIn)) return [];
  try {
    return [...new Set([written, decodeURIComponent(written)])];
  } catch {
    return [written];
  }
}

const ENV_FILE = /^\.env(?:\..+)?$|^\.envrc$|\.env$/;
/** Sample files, which list the names of variables with made-up values. */
const SAMPLE = /\.(?:example|sample|template|dist|defaults?)(?:\.|$)/;
const SKIPPED = new Set(["node_modules", "vendor", "dist", "build", "target"]);
const DEPTH = 3;
const MAX_FOLDERS = 300;
const MAX_BYTES = 1_000_000;

export interface EnvFiles {
  secrets(): NamedSecret[];
  /** Whether one of the files, or the list of files, has changed since the last call. */
  changed(): boolean;
}

/** The file with Cadre's own token. Anyone with this token can approve calls. */
export const tokenFile = (dir: string): string => join(dir, "token");

/** Watches the project's `.env` files, a few levels deep, and the token in Cadre's own folder. */
export function envFiles(folder: string, dir = join(folder, ".cadre")): EnvFiles {
  const token = tokenFile(dir);
  let files = findEnvFiles(folder);
  let stamp = stampOf([folder, token, ...files]);
  return {
    secrets: () => [
      ...tokenIn(token),
      ...files.flatMap((path) => [...fileSecrets(path), ...privateKeys(path)]),
    ],
    changed() {
      const now = stampOf([folder, token, ...files]);
      if (now === stamp) return false;
      files = findEnvFiles(folder);
      stamp = stampOf([folder, token, ...files]);
      return true;
    },
  };
}

function tokenIn(path: string): NamedSecret[] {
  try {
    return secretsIn("CADRE_TOKEN", [readFileSync(path, "utf8").trim()]);
  } catch {
    return [];
  }
}

/** The `.env` files, and some of the files that can hold private keys. */
function findEnvFiles(folder: string): string[] {
  const env = findFiles(folder, (name) => ENV_FILE.test(name) && !SAMPLE.test(name));
  return [...env, ...findFiles(folder, (name) => KEY_FILE.test(name)).slice(0, MOST_KEY_FILES)];
}

const KEY_FILE = /\.(?:pem|key)$|^id_(?:rsa|dsa|ecdsa|ed25519)$/i;
const MOST_KEY_FILES = 20;
const MAX_KEY_BYTES = 20_000;

/** The lines of the private keys in a file. A command can show a single line, which nothing else marks as a part of a key. */
function privateKeys(path: string): NamedSecret[] {
  try {
    if (!KEY_FILE.test(path.slice(path.lastIndexOf("/") + 1)) || statSync(path).size > MAX_KEY_BYTES)
      return [];
    const blocks = readFileSync(path, "utf8").matchAll(
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----([\w+/=\s]*)-----END/g,
    );
    return Array.from(blocks).flatMap(([, body = ""]) =>
      body
        .split(/\s+/)
        .filter(({ length }) => length >= 2 * SHORTEST)
        .map((value) => ({ name: "private-key", value })),
    );
  } catch {
    return [];
  }
}

const KEY_DEPTH = 12;
const MAX_KEY_FOLDERS = 5_000;

/** Finds the files in a folder that hold keys by their paths, also in hidden folders, for judging and confining a search. */
export const findKeyFiles = (folder: string): string[] =>
  findFiles(folder, (_, path) => holdsKeys(relative(folder, path)), {
    depth: KEY_DEPTH,
    folders: MAX_KEY_FOLDERS,
    skips: (name) => name === ".git" || name === ".cadre" || name === "node_modules",
  });

const isSkipped = (name: string): boolean => name.startsWith(".") || SKIPPED.has(name);

/** Finds files by their names, a few levels deep. Hidden folders, and folders with installed or built files, are skipped. */
function findFiles(
  folder: string,
  fits: (name: string, path: string) => boolean,
  { depth: most, folders, skips } = { depth: DEPTH, folders: MAX_FOLDERS, skips: isSkipped },
): string[] {
  const found: string[] = [];
  let level = [folder];
  for (let depth = 0, seen = 0; depth < most && level.length > 0; depth++) {
    const next: string[] = [];
    for (const path of level) {
      if (++seen > folders) return found;
      for (const entry of entriesOf(path)) {
        const inside = join(path, entry.name);
        if (entry.isDirectory() && !skips(entry.name)) next.push(inside);
        if (!entry.isDirectory() && fits(entry.name, inside)) found.push(inside);
      }
    }
    level = next;
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const stampOf = (paths: readonly string[]): string =>
  paths
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return `${found?.ino} ${found?.size} ${found?.mtimeMs} ${found?.ctimeMs}`;
    })
    .join("\n");

/** Reads the secrets of a file. A file that Cadre cannot read is skipped, because Cadre's tools cannot read the file either. */
function fileSecrets(path: string): NamedSecret[] {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > MAX_BYTES) return [];
    const values = parseEnv(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
    return Object.entries(values).flatMap(([name, value]) => variableSecrets(name, value ?? ""));
  } catch {
    return [];
  }
}
