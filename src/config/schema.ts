// The keys of cadre.yaml, one schema each.

import { z } from "zod";
import { Duration } from "./duration.ts";
import { HostEntry, SiteEntry } from "./hosts.ts";
import { type KeyValues, onlyKeys } from "./keys.ts";
import { Restate } from "./restate.ts";

const count = z.int().nonnegative();
const text = z.string().min(1);

/** Limits as people write them: durations may be words. Fits `AgentLimits` of the journal. */
export const LimitsInput = z.strictObject({
  maxTurns: count.optional(),
  maxDuration: Duration.optional(),
  approvalTimeout: Duration.optional(),
  maxToolCallsPerTurn: count.optional(),
  toolTimeout: Duration.optional(),
  maxTokens: count.optional(),
  maxCost: z.number().nonnegative().optional(),
  maxDepth: count.optional(),
  maxChildren: count.optional(),
  maxEvents: count.optional(),
  onBudget: z.enum(["stop", "suspend"]).optional(),
  tree: z
    .strictObject({
      maxTokens: count.optional(),
      maxCost: z.number().nonnegative().optional(),
      maxRuns: count.optional(),
    })
    .optional(),
});

export const Provider = z.strictObject({
  type: z.enum(["openai-compatible", "anthropic", "openai", "google"]),
  baseURL: z.url().optional(),
  apiKeyEnv: text.optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

const variable = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable");

/** `[TOKEN]` hands a variable on; `{ KEY: "${TOKEN}" }` fills it in. The file holds no secret either way. */
const McpEnv = z.union([
  z
    .array(variable)
    .transform(
      (names): Record<string, string> => Object.fromEntries(names.map((name) => [name, `\${${name}}`])),
    ),
  z.record(variable, z.string()),
]);

const McpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https address" }).refine((url) => {
  const { username, password, hash } = new URL(url);
  return `${username}${password}${hash}` === "";
}, "must be an address without a password or a fragment");

/** A server of tools: a program that we start, or an address that we ask. */
export const McpServer = z
  .strictObject({
    type: z.enum(["stdio", "http", "streamable-http"]).optional(),
    command: text.optional(),
    args: z.array(z.string()).optional(),
    env: McpEnv.optional(),
    url: McpUrl.optional(),
    headers: z.record(z.string().regex(/^[\w-]+$/), z.string()).optional(),
    timeout: Duration.optional(),
    trusted: z.boolean().optional(),
    readOnly: z.array(text).optional(),
    elicitation: z.enum(["decline", "defaults"]).optional(),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: "must have either `command` or `url`",
  });
export type McpServer = z.output<typeof McpServer>;

/** What we call ourselves. Whoever has the file must not have a password with it. */
const Endpoint = z.url({ protocol: /^https?$/, error: "must be an http or https address" }).refine((url) => {
  const { username, password, search, hash } = new URL(url);
  return `${username}${password}${search}${hash}` === "";
}, "must be an address alone, without a password, a query or a fragment");

/** Secrets stay out of the file: it names the variables that hold them. */
export const Loki = z.strictObject({
  url: Endpoint,
  tenantEnv: text.optional(),
  tokenEnv: text.optional(),
  timeout: Duration.optional(),
});

/** `url` replaces the provider's own address; SearXNG has none of its own. */
export const Search = z
  .strictObject({
    provider: z.enum(["searxng", "brave", "tavily"]),
    url: Endpoint.optional(),
    keyEnv: text.optional(),
    timeout: Duration.pipe(z.number().max(120_000, "must be at most 2m")).optional(),
  })
  .refine(({ provider, url }) => provider !== "searxng" || url !== undefined, {
    error: "needs `url`, where your SearXNG is",
  })
  .refine(({ provider, keyEnv }) => provider === "searxng" || keyEnv !== undefined, {
    error: "needs `keyEnv`, the name of the variable that holds the provider's key",
  });

/** `allow` and `deny` narrow; `private` opens what is closed by itself. */
export const Web = z.strictObject({
  allow: z.array(HostEntry).default([]),
  deny: z.array(HostEntry).default([]),
  private: z.array(SiteEntry).default([]),
  timeout: Duration.pipe(z.number().max(300_000, "must be at most 5m")).optional(),
  maxBytes: z.int().positive().max(50_000_000).optional(),
});

const Argv = z.array(text).min(1);

export const Service = z.strictObject({
  restart: Argv,
  health: z
    .strictObject({ url: Endpoint.optional(), command: Argv.optional(), timeout: Duration.optional() })
    .refine(({ url, command }) => (url === undefined) !== (command === undefined), {
      error: "must have either `url` or `command`",
    })
    .optional(),
});

const rules = z.array(z.string()).default([]);
const onOff = z.union([z.boolean(), z.enum(["on", "off"]).transform((word) => word === "on")]);

const SandboxDriver = z.enum(["auto", "none", "bwrap", "srt"]);

/** As it is asked for on the wire: letters, digits, hyphens and dots, so that what is compared is what is called (A33). */
const HostName = z
  .string()
  .regex(/^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, {
    error: "must be a host's name in small letters, such as registry.example.com or *.example.com",
  });

const Network = z.union([
  z.boolean().transform((on) => (on ? ("on" as const) : ("off" as const))),
  z.enum(["approved", "on", "off"]),
  z.array(HostName).min(1),
]);

const SandboxShape = z.strictObject({
  driver: SandboxDriver.optional(),
  network: Network.optional(),
  /** Folders beside the workspace that commands may write to: caches, a remote on this disk. */
  write: z.array(text).optional(),
});

export const Sandbox = z.union([
  SandboxDriver.transform((driver): z.output<typeof SandboxShape> => ({ driver })),
  SandboxShape,
]);

export const CONFIG_KEYS = {
  model: text,
  providers: z.record(z.string(), Provider),
  aliases: z.record(z.string(), text),
  prices: z.record(
    z.string(),
    z.looseObject({ input: z.number().nonnegative(), output: z.number().nonnegative() }),
  ),
  limits: LimitsInput,
  permissions: onlyKeys({
    preset: z.enum(["read-only", "ask", "edits", "trusted"]).exactOptional(),
    allow: rules,
    ask: rules,
    deny: rules,
  }),
  approvals: z.strictObject({
    timeout: Duration.optional(),
    onTimeout: z.enum(["reject", "fail", "wait"]).optional(),
    unattended: z.enum(["park", "reject", "fail"]).optional(),
  }),
  mcpServers: z.record(z.string(), McpServer),
  loki: Loki,
  web: Web,
  services: z.record(z.string(), Service),
  roles: z.union([text, z.array(z.unknown()), z.looseObject({})]),
  sandbox: Sandbox,
  taint: onOff,
  store: text,
  engine: z.enum(["local", "pg-boss", "restate"]),
  restate: Restate,
  server: z.strictObject({
    host: text.optional(),
    port: z.int().min(0).max(65_535).optional(),
    /** Names beside those of the loopback that it is reached by. */
    names: z.array(text).optional(),
  }),
  concurrency: z.int().positive(),
  search: Search,
  webhooks: z.unknown(),
  users: z.unknown(),
  /** The folders whose runs a pool of workers takes. */
  pools: z.record(z.string().regex(/^[\w.-]{1,40}$/, "must be a short name"), z.array(text).min(1)),
  retention: z.unknown(),
};

export type ConfigValues = KeyValues<typeof CONFIG_KEYS>;
