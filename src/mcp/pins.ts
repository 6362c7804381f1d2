// A pin records an MCP server as it was when it was first used, or when a person approved it.
// A pin contains the server's command or URL, and each tool with its description.
// Pins are stored in the user's configuration folder, outside of any project. There is one file for each project and server.
// The pin tells Cadre which tools a server has, so that Cadre does not need to start the server.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { z } from "zod";
import { codeLoadedBy, SCRIPT, startCodeSearch } from "../config/code-files.ts";
import type { McpServer } from "../config/schema.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { canonical, ListedTool } from "./listing.ts";

/** How Cadre starts or reaches a server. Variables are not expanded, so no secrets are stored. */
const Launch = z.object({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  url: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Hashes of the project's files that the command runs. They are recorded because an agent could change these files. */
  programs: z.record(z.string(), z.string()).optional(),
});
export type Launch = z.infer<typeof Launch>;

const Pin = z.object({
  folder: z.string(),
  server: z.string(),
  at: z.string(),
  launch: Launch,
  tools: z.array(ListedTool),
});
export type Pin = z.infer<typeof Pin>;

export interface PinPlace {
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  home?: string;
}

/** Reads a server's pin. Returns undefined if the pin does not exist or is unreadable. */
export function readPin(place: PinPlace, server: string): Pin | undefined {
  try {
    return Pin.parse(JSON.parse(readFileSync(pinFile(place, server), "utf8")));
  } catch {
    return undefined;
  }
}

export function writePin(place: PinPlace, pin: Omit<Pin, "folder">): void {
  const file = pinFile(place, pin.server);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ folder: realFolder(place.folder), ...pin }, null, 2)}\n`, {
    mode: 0o600,
  });
  renameSync(draft, file);
}

/** Path of a server's pin. */
export function pinFile({ folder, env, home }: PinPlace, server: string): string {
  const base = env["XDG_CONFIG_HOME"] || join(env["HOME"] || home || homedir(), ".config");
  const project = createHash("sha256").update(realFolder(folder)).digest("hex").slice(0, 16);
  return join(base, "cadre", "servers", project, `${server}.json`);
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

/** Describes how Cadre would start or reach this server now. */
export function launchOf({ command, args, env, url, headers }: McpServer, folder: string): Launch {
  const programs = programsOf([...(command === undefined ? [] : [command]), ...(args ?? [])], folder);
  return omitUndefined({ command, args, env, url, headers, programs });
}

export const launchHash = (launch: Launch): string =>
  createHash("sha256").update(canonical(launch)).digest("hex");

/** The server's command line or URL, as people read it. */
export const launchText = ({ command, args = [], url }: Launch): string =>
  url ??
  [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word!) ? word : JSON.stringify(word))).join(" ");

/** Whether two launches were declared alike. The files that the command runs may differ. */
export const isSameDeclaration = (a: Launch, b: Launch): boolean =>
  isSameLaunch({ ...a, programs: undefined }, { ...b, programs: undefined });

export const isSameLaunch = (a: Launch, b: Launch): boolean => canonical(a) === canonical(b);

const MAX_PROGRAM = 20 * 1024 * 1024;

/**
 * Hashes the project files that a command line names, and the code that these files load.
 * If such a file changes, the same command starts a different program (A49).
 */
function programsOf(words: readonly string[], folder: string): Record<string, string> | undefined {
  const root = realFolder(folder);
  const search = startCodeSearch(root);
  const found = words.flatMap((word, index) => {
    const path = resolve(root, word);
    if (!(realFolder(path).startsWith(root + sep) && (index === 0 || SCRIPT.test(word)))) return [];
    const loaded = codeLoadedBy(path, search).filter((file) => file !== path);
    return [[word, path] as const, ...loaded.map((file) => [relative(root, file), file] as const)];
  });
  const hashes = found.flatMap(([name, path]) => {
    const file = statSync(path, { throwIfNoEntry: false });
    if (!file?.isFile() || file.size > MAX_PROGRAM) return [];
    return [[name, createHash("sha256").update(readFileSync(path)).digest("hex")]];
  });
  return hashes.length > 0 ? Object.fromEntries(hashes) : undefined;
}
