// Reads cadre.yaml, the CADRE_* variables and the flags into one checked value. Flags win over variables, and variables over
// the file. Settings that need trust are ignored in a folder that nobody trusts, and a problem says so.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { CadreError, describeSystemError } from "../errors.ts";
import type { LimitsInput } from "./limits.ts";
import { readMcpJson } from "./mcp-json.ts";
import { readPlainFile } from "./plain-file.ts";
import { type Problem, problemText } from "./problem.ts";
import { describeIssue, readKeys } from "./read-keys.ts";
import { type RestateConfig, restateConfig } from "./restate.ts";
import { CONFIG_KEYS, type ConfigValues, DECLARED_KEYS, type Provider } from "./schema.ts";
import { type Env, isTrusted } from "./trust.ts";
import { dropUntrusted, type IgnoredSetting } from "./untrusted.ts";
import { type Path, readYaml, type YamlDocument } from "./yaml.ts";

export interface Config extends Omit<ConfigValues, "roles" | "sandbox"> {
  folder: string;
  /** The file that was read; undefined if there is none. */
  file: string | undefined;
  trusted: boolean;
  /** Folder for Cadre's own files: `.cadre` in the project's folder by default. */
  dir: string;
  providers: Record<string, z.output<typeof Provider>>;
  aliases: Record<string, string>;
  prices: NonNullable<ConfigValues["prices"]>;
  limits: z.output<typeof LimitsInput>;
  permissions: {
    preset?: "read-only" | "ask" | "edits" | "trusted";
    allow: string[];
    ask: string[];
    deny: string[];
  };
  approvals: {
    timeout?: number | undefined;
    onTimeout: "reject" | "fail" | "wait";
    unattended: "park" | "reject" | "fail";
  };
  mcpServers: NonNullable<ConfigValues["mcpServers"]>;
  services: NonNullable<ConfigValues["services"]>;
  web: NonNullable<ConfigValues["web"]>;
  roles: NonNullable<ConfigValues["roles"]>;
  sandbox: {
    driver: "auto" | "none" | "bwrap" | "srt";
    network: "approved" | "on" | "off" | string[];
    /** Absolute. */
    write: string[];
  };
  taint: boolean;
  /** `sqlite:` with an absolute path, `sqlite::memory:`, or another store's address. */
  store: string;
  engine: "local" | "pg-boss" | "restate";
  restate: RestateConfig;
  /** How many agents may work in one workspace at the same time (S1-69). */
  concurrency: number;
  /** Absolute folders, by the worker pool that takes their runs. */
  pools: Record<string, string[]>;
  server: { host: string; port: number; names: string[]; url?: string };
  problems: Problem[];
  /** Problems because of which another store or engine is used than the file names. */
  ignoredKeys: IgnoredKeys;
  /** Position of a path in the file; the first line if there is no file. */
  at(path: Path): { line: number; column: number };
}

export type IgnoredKeys = Partial<Record<"store" | "engine", Problem>>;

/** Settings of the command line. Each wins over its variable and over the file. */
export interface ConfigFlags {
  model?: string;
  store?: string;
  engine?: string;
  dir?: string;
  host?: string;
  port?: number;
  sandbox?: string;
}

export interface ConfigSource {
  folder: string;
  env: Env;
  flags?: ConfigFlags;
}

/** A store in memory: it ends with the process. */
export const MEMORY_STORE = "sqlite::memory:";

export function loadConfig({ folder, env, flags = {} }: ConfigSource): Config {
  const file = join(folder, "cadre.yaml");
  const document = existsSync(file) ? readConfigFile(file) : undefined;
  const trusted = isTrusted(folder, env);
  const { values, problems } = document ? checked(document) : { values: {} as ConfigValues, problems: [] };
  const ignored = document && !trusted ? dropUntrusted(document, values, folder, DECLARED_KEYS) : [];
  problems.push(...ignored.map(({ problem }) => problem));
  const others = readMcpJson(folder, trusted);
  problems.push(...others.problems);
  const over = readOverrides(env, flags);
  const dir = resolve(folder, over.dir ?? ".cadre");
  const store = located(folder, env, over.keys.store ?? values.store ?? `sqlite:${join(dir, "cadre.db")}`);
  checkEngine(over.keys.engine ?? values.engine, store);
  return {
    taint: true,
    engine: "local",
    concurrency: 10,
    ...values,
    ...over.keys,
    sandbox: {
      ...{ driver: "auto", network: "approved" },
      ...definedOnly({ ...values.sandbox, ...definedOnly(over.keys.sandbox ?? {}) }),
      write: (values.sandbox?.write ?? []).map((path) =>
        resolve(folder, path.replace(/^~(?=\/)/, homedir())),
      ),
    },
    store,
    folder: resolve(folder),
    file: document ? file : undefined,
    trusted,
    dir,
    providers: values.providers ?? {},
    aliases: values.aliases ?? {},
    prices: values.prices ?? {},
    restate: restateConfig(values.restate, env),
    limits: values.limits ?? {},
    permissions: values.permissions ?? { allow: [], ask: [], deny: [] },
    approvals: { onTimeout: "reject", unattended: "park", ...definedOnly(values.approvals ?? {}) },
    // cadre.yaml wins over `.mcp.json`, which other products read as well.
    mcpServers: { ...others.servers, ...values.mcpServers },
    services: values.services ?? {},
    web: values.web ?? { allow: [], deny: [], private: [] },
    roles: values.roles ?? [],
    pools: Object.fromEntries(
      Object.entries(values.pools ?? {}).map(([name, folders]) => [
        name,
        folders.map((path) => resolve(folder, path)),
      ]),
    ),
    server: {
      host: over.host ?? values.server?.host ?? "127.0.0.1",
      port: over.port ?? values.server?.port ?? 4470,
      names: values.server?.names ?? [],
      ...(values.server?.url === undefined ? {} : { url: values.server.url }),
    },
    problems,
    ignoredKeys: ignoredKeys(ignored, over.keys),
    at: (path) => document?.at(path) ?? { line: 1, column: 1 },
  };
}

/** Resolves a file against the project's folder, wherever the process was started. `env:NAME` reads a variable. */
function located(folder: string, env: Env, store: string): string {
  const variable = /^env:(\w+)$/.exec(store)?.[1];
  if (variable !== undefined) {
    const value = env[variable];
    if (value && !value.startsWith("env:")) return located(folder, env, value);
    throw new CadreError(
      "CONFIG_INVALID",
      `\`store\` takes the address from ${variable}, which is not set: set it, or write the address itself. Nothing was opened.`,
    );
  }
  if (/^postgres/i.test(store)) return store.replace(/^\w+/, (scheme) => scheme.toLowerCase());
  if (!store.startsWith("sqlite:") || store === MEMORY_STORE) return store;
  return `sqlite:${resolve(folder, store.slice("sqlite:".length))}`;
}

/** An engine of several machines needs a store that they share, and a file cannot be shared. */
function checkEngine(engine: Config["engine"] = "local", store: string): void {
  // An address of an unknown kind is refused when the store is opened.
  if (engine === "local" || !store.startsWith("sqlite:")) return;
  throw new CadreError(
    "CONFIG_INVALID",
    `The engine ${engine} needs a Postgres store that all its workers share, and this store is a file. Set \`store: postgres://…\` (or CADRE_STORE), or leave \`engine\` out: one machine needs none.`,
  );
}

/** Whether any number of processes can open the store at the same time. */
export const isServerStore = (store: string): boolean => /^postgres(ql)?:/.test(store);

const MAX_BYTES = 256_000;

function readConfigFile(file: string): YamlDocument {
  let source: string;
  try {
    source = readPlainFile(file, MAX_BYTES)
      .replace(/^\uFEFF/, "")
      .replace(/\r\n?/g, "\n");
  } catch (error) {
    throw new CadreError("CONFIG_INVALID", `cadre.yaml cannot be read: ${describeSystemError(error)}`);
  }
  const document = readYaml(source, "cadre.yaml");
  const first = document.problems[0];
  if (first) throw invalid([first]);
  if (document.data === null) return { ...document, data: {} };
  if (typeof document.data === "object" && !Array.isArray(document.data)) return document;
  throw new CadreError("CONFIG_INVALID", "cadre.yaml:1:1 must be `key: value` lines");
}

function checked(document: YamlDocument): { values: ConfigValues; problems: Problem[] } {
  const result = readKeys(document, CONFIG_KEYS);
  const errors = result.problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw invalid(errors);
  return result;
}

function invalid(errors: Problem[]): CadreError {
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new CadreError("CONFIG_INVALID", problemText(errors[0]!) + more, { problems: errors });
}

/** A person who sets the key by a flag or a variable does not miss what the file says. */
function ignoredKeys(ignored: readonly IgnoredSetting[], over: Overrides["keys"]): IgnoredKeys {
  const find = (key: keyof IgnoredKeys): Problem | undefined =>
    over[key] === undefined ? ignored.find((setting) => setting.key === key)?.problem : undefined;
  return definedOnly({ store: find("store"), engine: find("engine") });
}

/** The variable behind each flag. */
const VARIABLES: Record<keyof ConfigFlags, string> = {
  model: "CADRE_MODEL",
  store: "CADRE_STORE",
  engine: "CADRE_ENGINE",
  dir: "CADRE_DIR",
  host: "CADRE_HOST",
  port: "CADRE_PORT",
  sandbox: "CADRE_SANDBOX",
};

interface Overrides {
  /** Values that replace keys of the file. */
  keys: Partial<Pick<ConfigValues, "model" | "store" | "engine" | "sandbox">>;
  dir: string | undefined;
  host: string | undefined;
  port: number | undefined;
}

function readOverrides(env: Env, flags: ConfigFlags): Overrides {
  const read = <T>(flag: keyof ConfigFlags, schema: z.ZodType<T>): T | undefined => {
    const value = flags[flag] ?? (env[VARIABLES[flag]] || undefined);
    if (value === undefined) return undefined;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const name = flags[flag] === undefined ? VARIABLES[flag] : `--${flag}`;
    throw new CadreError(
      "CONFIG_INVALID",
      `${name} ${describeIssue(result.error.issues[0]!)}, and is ${JSON.stringify(value)}. Nothing was done.`,
    );
  };
  return {
    keys: definedOnly({
      model: read("model", CONFIG_KEYS.model),
      store: read("store", CONFIG_KEYS.store),
      engine: read("engine", CONFIG_KEYS.engine),
      sandbox: read("sandbox", CONFIG_KEYS.sandbox),
    }),
    dir: read("dir", z.string()),
    host: read("host", z.string()),
    port: read("port", z.coerce.number().int().min(0).max(65_535)),
  };
}

function definedOnly<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
