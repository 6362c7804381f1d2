// Reads cadre.yaml, the CADRE_* variables and the flags into one checked value.
// Flags win over variables, and variables win over the file.
// Settings that need trust are ignored in an untrusted folder, and reported as problems.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { CadreError, describeSystemError } from "../errors.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { hooksOfClaude } from "./claude-hooks.ts";
import {
  type ClaudeSettings,
  disabledServers,
  readClaudeSettings,
  untrustedClaudeSettings,
} from "./claude-settings.ts";
import { type ConfiguredHook, hooksOfConfig } from "./hooks.ts";
import { readMcpJson } from "./mcp-json.ts";
import { readPlainFile } from "./plain-file.ts";
import { type Problem, problemText } from "./problem.ts";
import { parseSetting, readKeys } from "./read-keys.ts";
import { type RestateConfig, restateConfig } from "./restate.ts";
import { CONFIG_KEYS, type ConfigValues, DECLARED_KEYS } from "./schema.ts";
import { type Env, isDeclined, isTrusted } from "./trust.ts";
import { dropUntrusted, type IgnoredSetting, takeUntrustedKeys } from "./untrusted.ts";
import { type Path, readYaml, type YamlDocument } from "./yaml.ts";

/** Keys that have a default value. */
type DefaultedKey =
  | "providers"
  | "aliases"
  | "prices"
  | "contextWindows"
  | "onUnknownPrice"
  | "limits"
  | "services"
  | "variables"
  | "web"
  | "roles"
  | "taint"
  | "engine"
  | "concurrency";

const defaults = (): Required<Pick<ConfigValues, DefaultedKey>> => ({
  providers: {},
  aliases: {},
  prices: {},
  contextWindows: {},
  onUnknownPrice: "refuse",
  limits: {},
  services: {},
  variables: [],
  web: { allow: [], deny: [], private: [] },
  roles: [],
  taint: true,
  engine: "local",
  concurrency: 10,
});

export interface Config
  extends Omit<ConfigValues, DefaultedKey | "sandbox" | "hooks">,
    Required<Pick<ConfigValues, DefaultedKey>> {
  folder: string;
  /** The file that was read. Undefined if the folder has no cadre.yaml. */
  file: string | undefined;
  trusted: boolean;
  /** True if the person declined to trust the folder, or if it has settings that would need trust. Its files then count as written by a stranger. */
  isStrangers: boolean;
  /** Folder for Cadre's own files: `.cadre` in the project's folder by default. */
  dir: string;
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
    onLoop?: "ask" | "continue" | undefined;
  };
  patience: { outage: number; silence: number };
  mcpServers: NonNullable<ConfigValues["mcpServers"]>;
  sandbox: {
    driver: "auto" | "none" | "bwrap" | "srt";
    network: "approved" | "on" | "off" | string[];
    /** Absolute paths of folders that commands can write to. */
    write: string[];
  };
  /** `sqlite:` with an absolute path, `sqlite::memory:`, or another store's address. */
  store: string;
  restate: RestateConfig;
  /** The folders of each worker pool, as absolute paths. The pool's workers take the runs in these folders. */
  pools: Record<string, string[]>;
  server: { host: string; port: number; names: string[]; url?: string };
  /** The hooks of cadre.yaml and of Claude Code's settings, in this order. */
  hooks: ConfiguredHook[];
  /** Settings files of Claude Code, as they are written. The last file is the nearest. */
  claudeSettings: ClaudeSettings[];
  problems: Problem[];
  /** Settings that were ignored because the folder is untrusted. Each of them is also reported as a problem. */
  ignoredSettings: IgnoredSetting[];
  /** The problems that make Cadre ignore the store or the engine set in cadre.yaml. */
  ignoredKeys: IgnoredKeys;
  /** Finds the position of a key path in the file. Without a file, this is the first line. */
  at(path: Path): { line: number; column: number };
}

export type IgnoredKeys = Partial<Record<"store" | "engine", Problem>>;

/** Settings of the command line. Each wins over its variable, such as CADRE_MODEL, and over the file. */
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

/** The port of `cadre up`, unless the user chose one. */
export const DEFAULT_PORT = 4470;

/** Address of a store in memory. Its data is lost when the process ends. */
export const MEMORY_STORE = "sqlite::memory:";

export function loadConfig({ folder, env, flags = {} }: ConfigSource): Config {
  const file = join(folder, "cadre.yaml");
  const document = existsSync(file) ? readConfigFile(file) : undefined;
  const trusted = isTrusted(folder, env);
  const untrustedKeys = document && !trusted ? takeUntrustedKeys(document, DECLARED_KEYS) : [];
  const { values, problems } = document ? checkKeys(document) : { values: {} as ConfigValues, problems: [] };
  const claudeSettings = readClaudeSettings(folder, env);
  const others = readMcpJson(folder, trusted, disabledServers(claudeSettings));
  const claudeHooks = hooksOfClaude(claudeSettings, trusted);
  const ignoredSettings = [
    ...untrustedKeys,
    ...(document && !trusted ? dropUntrusted(document, values, folder, DECLARED_KEYS) : []),
    ...others.ignored,
    ...claudeHooks.ignored,
    ...(trusted ? [] : untrustedClaudeSettings(claudeSettings)),
  ];
  const over = readOverrides(env, flags);
  const dir = resolve(folder, over.dir ?? ".cadre");
  const store = resolveStore(
    folder,
    env,
    over.keys.store ?? values.store ?? `sqlite:${join(dir, "cadre.db")}`,
  );
  checkEngine(over.keys.engine ?? values.engine, store);
  const { host, port, names = [], url } = values.server ?? {};
  const write = (values.sandbox?.write ?? []).map((path) =>
    resolve(folder, path.replace(/^~(?=\/)/, homedir())),
  );
  const at = (path: Path) => document?.at(path) ?? { line: 1, column: 1 };
  const pools = Object.entries(values.pools ?? {}).map(([name, folders]) => [
    name,
    folders.map((path) => resolve(folder, path)),
  ]);
  return {
    ...defaults(),
    ...values,
    ...over.keys,
    limits: limitsOf(values),
    sandbox: {
      driver: "auto",
      network: "approved",
      ...omitUndefined({ ...values.sandbox, ...over.keys.sandbox }),
      write,
    },
    store,
    folder: resolve(folder),
    file: document ? file : undefined,
    trusted,
    isStrangers: !trusted && (ignoredSettings.length > 0 || isDeclined(folder, env)),
    dir,
    restate: restateConfig(values.restate, env),
    permissions: values.permissions ?? { allow: [], ask: [], deny: [] },
    approvals: { onTimeout: "reject", unattended: "park", ...omitUndefined(values.approvals ?? {}) },
    patience: { outage: 6 * 3_600_000, silence: 600_000, ...omitUndefined(values.patience ?? {}) },
    // If cadre.yaml and `.mcp.json` define a server of the same name, the definition in cadre.yaml wins.
    mcpServers: { ...others.servers, ...values.mcpServers },
    pools: Object.fromEntries(pools),
    server: {
      host: over.host ?? host ?? "127.0.0.1",
      port: over.port ?? port ?? DEFAULT_PORT,
      names,
      ...omitUndefined({ url }),
    },
    hooks: [...hooksOfConfig(values.hooks, at), ...claudeHooks.hooks],
    claudeSettings,
    problems: [
      ...problems,
      ...ignoredSettings.map(({ problem }) => problem),
      ...others.problems,
      ...claudeHooks.problems,
    ],
    ignoredSettings,
    ignoredKeys: ignoredKeys(ignoredSettings, over.keys),
    at,
  };
}

/** S4-10: `agent.max_iters` is the limit on turns, unless `limits` has one. */
function limitsOf({ limits, agent }: ConfigValues): Config["limits"] {
  return omitUndefined({ maxTurns: agent?.max_iters, ...omitUndefined(limits ?? {}) });
}

/** Resolves the path of a SQLite store against the project's folder. `env:NAME` takes the store's address from a variable. */
function resolveStore(folder: string, env: Env, store: string): string {
  const variable = /^env:(\w+)$/.exec(store)?.[1];
  if (variable !== undefined) {
    const value = env[variable];
    if (value && !value.startsWith("env:")) return resolveStore(folder, env, value);
    throw new CadreError(
      "CONFIG_INVALID",
      `\`store\` takes the address from ${variable}, which is not set: set it, or write the address itself. Nothing was opened.`,
    );
  }
  if (/^postgres/i.test(store)) return store.replace(/^\w+/, (scheme) => scheme.toLowerCase());
  if (!store.startsWith("sqlite:") || store === MEMORY_STORE) return store;
  return `sqlite:${resolve(folder, store.slice("sqlite:".length))}`;
}

/** Refuses an engine for several machines if the store is a file, because machines cannot share that file. */
function checkEngine(engine: Config["engine"] = "local", store: string): void {
  // An address of an unknown kind is refused when the store is opened.
  if (engine === "local" || !store.startsWith("sqlite:")) return;
  throw new CadreError(
    "CONFIG_INVALID",
    `The engine ${engine} needs a Postgres store that all its workers share, and this store is a file. Set \`store: postgres://…\` (or CADRE_STORE), or leave \`engine\` out: one machine needs none.`,
  );
}

/** Whether several processes can open the store at the same time. */
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

function checkKeys(document: YamlDocument): { values: ConfigValues; problems: Problem[] } {
  const result = readKeys(document, CONFIG_KEYS);
  const errors = result.problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw invalid(errors);
  return result;
}

function invalid(errors: Problem[]): CadreError {
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new CadreError("CONFIG_INVALID", problemText(errors[0]!) + more, { problems: errors });
}

/** Finds the ignored keys that neither a flag nor a variable replaces. */
function ignoredKeys(ignored: readonly IgnoredSetting[], over: Overrides["keys"]): IgnoredKeys {
  const find = (key: keyof IgnoredKeys): Problem | undefined =>
    over[key] === undefined ? ignored.find((setting) => setting.key === key)?.problem : undefined;
  return omitUndefined({ store: find("store"), engine: find("engine") });
}

interface Overrides {
  /** Values that replace keys of the file. */
  keys: Partial<Pick<ConfigValues, "model" | "store" | "engine" | "sandbox">>;
  dir: string | undefined;
  host: string | undefined;
  port: number | undefined;
}

function readOverrides(env: Env, flags: ConfigFlags): Overrides {
  const read = <T>(flag: keyof ConfigFlags, schema: z.ZodType<T>): T | undefined => {
    if (flags[flag] !== undefined) return parseSetting(`--${flag}`, flags[flag], schema);
    const variable = `CADRE_${flag.toUpperCase()}`;
    return env[variable] ? parseSetting(variable, env[variable], schema) : undefined;
  };
  return {
    keys: omitUndefined({
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
