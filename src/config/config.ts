// cadre.yaml, the CADRE_* variables and the flags, as one checked value. Flags win over variables, variables over the
// file. What an untrusted project's file could use against the person who opens it does not count, and that is said.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { z } from "zod";
import { CadreError, describeSystemError } from "../errors.ts";
import type { LimitsInput } from "./limits.ts";
import { readMcpJson } from "./mcp-json.ts";
import { readPlainFile } from "./plain-file.ts";
import { type Problem, problemText } from "./problem.ts";
import { describeIssue, readKeys } from "./read-keys.ts";
import { type RestateConfig, restateConfig } from "./restate.ts";
import { CONFIG_KEYS, type ConfigValues, type Provider, type Sandbox } from "./schema.ts";
import { type Env, isTrusted } from "./trust.ts";
import { type Path, readYaml, type YamlDocument } from "./yaml.ts";

export interface Config extends Omit<ConfigValues, "roles" | "sandbox"> {
  folder: string;
  /** The file that was read; undefined: there is none. */
  file: string | undefined;
  trusted: boolean;
  /** Where Cadre keeps what is its own: `.cadre` in the folder unless told otherwise. */
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
  /** Agents at work in one workspace at the same time (S1-69). */
  concurrency: number;
  /** Absolute folders, by the pool of workers that takes the runs there. */
  pools: Record<string, string[]>;
  server: { host: string; port: number; names: string[]; url?: string };
  problems: Problem[];
  /** Those of the problems by which another store is opened than the file names, or others drive. */
  ignoredKeys: IgnoredKeys;
  /** Where something stands in the file; its first line where there is none. */
  at(path: Path): { line: number; column: number };
}

export type IgnoredKeys = Partial<Record<"store" | "engine", Problem>>;

/** What a command line may set; each wins over its variable and over the file. */
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

/** A store that is gone with its process. */
export const MEMORY_STORE = "sqlite::memory:";

export function loadConfig({ folder, env, flags = {} }: ConfigSource): Config {
  const file = join(folder, "cadre.yaml");
  const document = existsSync(file) ? readConfigFile(file) : undefined;
  const trusted = isTrusted(folder, env);
  const { values, problems } = document ? checked(document) : { values: {} as ConfigValues, problems: [] };
  if (document && !trusted) problems.push(...dropUntrusted(document, values, folder));
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
    // What a person wrote for Cadre wins over what they wrote for other products.
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
    ignoredKeys: leftOutOf(problems, over.keys),
    at: (path) => document?.at(path) ?? { line: 1, column: 1 },
  };
}

/** A file is meant from the project's folder, wherever the process was started. `env:NAME`: what stands in a variable. */
function located(folder: string, env: Env, store: string): string {
  const variable = /^env:(\w+)$/.exec(store)?.[1];
  if (variable !== undefined) {
    const value = env[variable];
    if (value && !value.startsWith("env:")) return located(folder, env, value);
    throw new CadreError(
      "CONFIG_INVALID",
      `The store is said to stand in ${variable}, which is not set: set it, or name the store itself. Nothing was opened.`,
    );
  }
  if (/^postgres/i.test(store)) return store.replace(/^\w+/, (scheme) => scheme.toLowerCase());
  if (!store.startsWith("sqlite:") || store === MEMORY_STORE) return store;
  return `sqlite:${resolve(folder, store.slice("sqlite:".length))}`;
}

/** Several machines have one store between them, and a file is no such store. */
function checkEngine(engine: Config["engine"] = "local", store: string): void {
  // What is neither is refused by whoever opens it, in those words.
  if (engine === "local" || !store.startsWith("sqlite:")) return;
  throw new CadreError(
    "CONFIG_INVALID",
    `The engine ${engine} needs a store on Postgres, which all its workers share; here it is a file. Set \`store: postgres://…\` (or CADRE_STORE), or leave \`engine\` out: one machine needs none.`,
  );
}

/** Whether a store is one that any number of processes open. */
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

interface Danger {
  path: Path;
  why: string;
  /** Absent: whatever it says. */
  when?: (values: ConfigValues) => boolean;
  drop: (values: ConfigValues) => void;
}

/** Deny and ask rules of a stranger's project count: they only narrow. */
function dangers(folder: string): Danger[] {
  const whole = (key: keyof ConfigValues, why: string): Danger => ({
    path: [key],
    why,
    drop: (values) => delete values[key],
  });
  return [
    whole("providers", "endpoints and keys"),
    whole("mcpServers", "commands and endpoints"),
    whole("services", "commands"),
    whole("loki", "endpoints"),
    whole("search", "endpoints"),
    whole("webhooks", "endpoints"),
    whole("restate", "endpoints"),
    {
      path: ["web", "private"],
      why: "what of your network is read",
      when: ({ web }) => web!.private.length > 0,
      drop: (values) => {
        values.web = { ...values.web!, private: [] };
      },
    },
    whole("users", "who may act"),
    whole("pools", "whose runs are driven here"),
    { ...whole("sandbox", "a weaker sandbox"), when: ({ sandbox }) => isWeaker(sandbox!) },
    { ...whole("taint", "weaker checks"), when: ({ taint }) => taint === false },
    {
      ...whole("server", "where the server listens"),
      when: ({ server }) =>
        !isLoopback(server?.host) || server?.names !== undefined || server?.url !== undefined,
    },
    { ...whole("store", "a store outside the folder"), when: ({ store }) => !isOwnStore(folder, store!) },
    { ...whole("engine", "who drives its runs"), when: ({ engine }) => engine !== "local" },
    {
      path: ["permissions", "preset"],
      why: "a preset that allows more",
      when: ({ permissions }) => permissions!.preset === "edits" || permissions!.preset === "trusted",
      drop: (values) => delete values.permissions!.preset,
    },
    {
      path: ["permissions", "allow"],
      why: "allow rules",
      when: ({ permissions }) => permissions!.allow.length > 0,
      drop: (values) => {
        values.permissions = { ...values.permissions!, allow: [] };
      },
    },
  ];
}

function dropUntrusted(document: YamlDocument, values: ConfigValues, folder: string): Problem[] {
  const problems: Problem[] = [];
  for (const { path, why, when, drop } of dangers(folder)) {
    if (values[path[0] as keyof ConfigValues] === undefined || when?.(values) === false) continue;
    drop(values);
    problems.push({
      file: document.file,
      ...document.at(path, "key"),
      code: "UNTRUSTED",
      severity: "warning",
      message: `\`${path.join(".")}\` is ignored: this folder is not trusted to set ${why}`,
      suggestion: "run `cadre trust` if you know what is in it, or set CADRE_TRUST=1",
    });
  }
  return problems;
}

/** What a flag or a variable says is the person's own: then the file's is not missed. */
function leftOutOf(problems: readonly Problem[], over: Overrides["keys"]): IgnoredKeys {
  const of = (key: keyof IgnoredKeys): Problem | undefined =>
    over[key] === undefined
      ? problems.find(({ code, message }) => code === "UNTRUSTED" && message.startsWith(`\`${key}\` `))
      : undefined;
  return definedOnly({ store: of("store"), engine: of("engine") });
}

/** `off` is the one network that asks for less than the default. */
const isWeaker = ({ driver, network = "off", write = [] }: z.output<typeof Sandbox>): boolean =>
  driver === "none" || (network !== "off" && network !== "approved") || write.length > 0;

const isLoopback = (host: string | undefined): boolean =>
  host === undefined || host === "127.0.0.1" || host === "localhost" || host === "::1";

function isOwnStore(folder: string, store: string): boolean {
  if (!store.startsWith("sqlite:")) return false;
  const way = relative(resolve(folder), resolve(folder, store.slice("sqlite:".length)));
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
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
  /** For the keys of the file. */
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
