// The keys of cadre.yaml, one schema each.

import { z } from "zod";
import { Duration } from "./duration.ts";
import { HostEntry, SiteEntry } from "./hosts.ts";
import { LimitsInput } from "./limits.ts";
import { type KeyValues, onlyKeys } from "./read-keys.ts";
import { Restate } from "./restate.ts";

const text = z.string().min(1);

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

/** What named users see who are no admins. Who they are is no matter of a file. */
const Users = z.strictObject({ see: z.enum(["own", "all"]).optional() });

const WebhookName = z
  .string()
  .regex(/^[\w-]{1,40}$/, "must be up to 40 letters, digits, hyphens or underscores");

const WebhookUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .refine((url) => {
    const { username, password, hash } = new URL(url);
    return `${username}${password}${hash}` === "";
  }, "must be an address without a password or a fragment");

export const WEBHOOK_EVENTS = ["needs-you", "done", "failed"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Secrets stay out of the file: it names the variables that hold them. Some addresses are secrets themselves. */
export const Webhook = z
  .strictObject({
    url: WebhookUrl.optional(),
    urlEnv: variable.optional(),
    form: z.enum(["json", "slack", "ntfy"]).default("json"),
    secretEnv: variable.optional(),
    tokenEnv: variable.optional(),
    events: z
      .array(z.enum(WEBHOOK_EVENTS))
      .min(1)
      .default(() => [...WEBHOOK_EVENTS]),
    /** May be on this machine or in its network, and without encryption. */
    private: z.boolean().default(false),
  })
  .refine(({ url, urlEnv }) => (url === undefined) !== (urlEnv === undefined), {
    error: "must have either `url` or `urlEnv`",
  })
  .refine((hook) => hook.private || hook.url === undefined || hook.url.startsWith("https:"), {
    error: "must be an https address, or have `private: true`",
  })
  .refine(({ form, secretEnv }) => form !== "json" || secretEnv !== undefined, {
    error: "needs `secretEnv`, the name of the variable that holds the secret to sign with",
  });
export type Webhook = z.output<typeof Webhook>;

export const CONFIG_KEYS = {
  model: text.describe("The model of agents that name none: `provider/model`"),
  providers: z.record(z.string(), Provider).describe("Servers of models beside the built-in ones, by name"),
  aliases: z.record(z.string(), text).describe("Names for models, as agent files use them: `sonnet`, `fast`"),
  prices: z
    .record(z.string(), z.looseObject({ input: z.number().nonnegative(), output: z.number().nonnegative() }))
    .describe("What a million tokens of a model cost, where that is not known"),
  limits: LimitsInput.describe("What bounds every run here, unless its agent says otherwise"),
  permissions: onlyKeys({
    preset: z.enum(["read-only", "ask", "edits", "trusted"]).exactOptional(),
    allow: rules,
    ask: rules,
    deny: rules,
  }).describe("What may happen: rules, and a preset for what no rule names"),
  approvals: z
    .strictObject({
      timeout: Duration.optional().describe("As `limits.approvalTimeout`"),
      onTimeout: z
        .enum(["reject", "fail", "wait"])
        .optional()
        .describe("Then the call counts as rejected, the run fails, or it waits on (reject)"),
      unattended: z
        .enum(["park", "reject", "fail"])
        .optional()
        .describe(
          "What a call comes to where nobody is there: it waits without a deadline, or as above (park)",
        ),
    })
    .describe("What becomes of a question that nobody answers"),
  mcpServers: z
    .record(z.string(), McpServer)
    .describe("Programs and addresses that bring tools of their own"),
  loki: Loki.describe("Where logs are asked for"),
  web: Web.describe("Which hosts pages may be read from"),
  services: z.record(z.string(), Service).describe("What may be restarted, how, and how its health is asked"),
  roles: z
    .union([text, z.array(z.unknown()), z.looseObject({})])
    .describe("Agents in the form of other products: a list, or a file with one"),
  sandbox: Sandbox.describe("What holds commands to what they may reach"),
  taint: onOff.describe("Whether strangers' words in a run make more calls ask (on)"),
  store: text.describe("Where journals are: `sqlite:<file>`, `postgres://…`, or `env:NAME`"),
  engine: z.enum(["local", "pg-boss", "restate"]).describe("Who says which run is driven next (local)"),
  restate: Restate.describe("Of the engine `restate`"),
  server: z
    .strictObject({
      host: text.optional(),
      port: z.int().min(0).max(65_535).optional(),
      /** Where people reach it, for links in what is sent to them: https://cadre.example.com */
      url: Endpoint.optional(),
      /** Names beside those of the loopback that it is reached by. */
      names: z.array(text).optional(),
    })
    .describe("Where `cadre up` serves (127.0.0.1:4470)"),
  concurrency: z.int().positive().describe("Agents at work in one workspace at the same time (10)"),
  search: Search.describe("Who searches the web"),
  webhooks: z.record(WebhookName, Webhook).describe("Where notices go, by name"),
  users: Users.describe("What named users see who are no admins"),
  pools: z
    .record(z.string().regex(/^[\w.-]{1,40}$/, "must be a short name"), z.array(text))
    .describe("The folders whose runs a pool of workers takes, beside those of agents that name it"),
  retention: z.unknown().describe("Read, and without effect yet: see `cadre prune`"),
};

export type ConfigValues = KeyValues<typeof CONFIG_KEYS>;
