// The keys of cadre.yaml.
// Each key declares its schema, whether an untrusted folder is allowed to set it, and where its value can contain secrets.
// A key without these declarations does not compile.
// There is a second guard at run time: a key without declarations is ignored in an untrusted folder, and all its text is masked.

import { isAbsolute, relative, resolve } from "node:path";
import { z } from "zod";
import { Duration } from "./duration.ts";
import { Hooks } from "./hooks.ts";
import { HostEntry, HttpUrl, SiteEntry } from "./hosts.ts";
import { InboundHook } from "./inbound-hook.ts";
import { LimitsInput } from "./limits.ts";
import { AgentName, InstructionNames } from "./names.ts";
import { type KeyValues, onlyKeys } from "./read-keys.ts";
import { Restate } from "./restate.ts";
import { Schedule } from "./schedule.ts";

const isWithout = (url: string, ...parts: ("username" | "password" | "search" | "hash")[]): boolean =>
  parts.every((part) => new URL(url)[part] === "");

/** Accepts a mapping that has exactly one of the two keys. */
const eitherOf = <Key extends string>(one: Key, other: Key) =>
  [
    (value: { [K in Key]?: unknown }) => (value[one] === undefined) !== (value[other] === undefined),
    { error: `must have either \`${one}\` or \`${other}\`` },
  ] as const;

const Address = HttpUrl.refine(
  (url) => isWithout(url, "username", "password", "hash"),
  "must be an address without a password or a fragment",
);

const text = z.string().min(1);
const dollars = z.number().nonnegative();

/** One label of a host name. Regions, locations and resources become part of an address. */
const label = z.string().regex(/^[a-z0-9-]+$/i, "must be letters, digits and hyphens");

/** The settings that only one type of provider has. */
const CLOUD_SETTINGS = {
  region: "bedrock",
  profile: "bedrock",
  project: "vertex",
  location: "vertex",
  resource: "azure",
  apiVersion: "azure",
} as const;

export const Provider = z
  .strictObject({
    type: z.enum(["openai-compatible", "anthropic", "openai", "google", "bedrock", "vertex", "azure"]),
    baseURL: z.url().optional(),
    apiKeyEnv: text.optional().describe("The environment variable that holds the key"),
    headers: z.record(z.string(), z.string()).optional(),
    /** Whether the provider's models can see images. The default depends on the provider and the model's name. */
    vision: z.boolean().optional(),
    region: label.optional().describe("For `bedrock`: the AWS region (`AWS_REGION`)"),
    profile: text.optional().describe("For `bedrock`: the AWS profile to sign in with"),
    project: z
      .string()
      .regex(/^[a-z0-9.:-]+$/, "must be the id of a Google Cloud project")
      .optional()
      .describe("For `vertex`: the Google Cloud project (`GOOGLE_VERTEX_PROJECT`)"),
    location: label
      .optional()
      .describe("For `vertex`: where its models run (`GOOGLE_VERTEX_LOCATION`, global)"),
    resource: label.optional().describe("For `azure`: the name of the resource (`AZURE_RESOURCE_NAME`)"),
    apiVersion: text.optional().describe("For `azure`: the version of the API (v1)"),
  })
  .check(({ value, issues }) => {
    for (const [key, type] of Object.entries(CLOUD_SETTINGS)) {
      if (value[key as keyof typeof CLOUD_SETTINGS] === undefined || value.type === type) continue;
      const message = `only a provider of the type ${type} has this setting`;
      issues.push({ code: "custom", input: value, path: [key], message });
    }
  });

const variable = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable");

/** `[TOKEN]` passes on the variable TOKEN. `{ KEY: "${TOKEN}" }` sets KEY to the value of TOKEN. Neither puts a secret into the file. */
const McpEnv = z.union([
  z
    .array(variable)
    .transform(
      (names): Record<string, string> => Object.fromEntries(names.map((name) => [name, `\${${name}}`])),
    ),
  z.record(variable, z.string()),
]);

/** An MCP server: a program that Cadre starts, or an address that Cadre connects to. */
export const McpServer = z
  .strictObject({
    type: z.enum(["stdio", "http", "streamable-http"]).optional(),
    command: text.optional(),
    args: z.array(z.string()).optional(),
    env: McpEnv.optional(),
    url: Address.optional(),
    headers: z.record(z.string().regex(/^[\w-]+$/), z.string()).optional(),
    timeout: Duration.optional(),
    trusted: z.boolean().optional(),
    readOnly: z.array(text).optional(),
    elicitation: z.enum(["decline", "defaults"]).optional(),
  })
  .refine(...eitherOf("command", "url"));
export type McpServer = z.output<typeof McpServer>;

/** An address that Cadre itself contacts. It must not contain a password, because the file is often shared. */
const Endpoint = HttpUrl.refine(
  (url) => isWithout(url, "username", "password", "search", "hash"),
  "must be an address alone, without a password, a query or a fragment",
);

/** The file contains only the names of the variables that hold the secrets, not the secrets. */
export const QueryServer = z.strictObject({
  url: Endpoint,
  tenantEnv: text.optional(),
  tokenEnv: text.optional(),
  timeout: Duration.optional(),
});

/** `url` replaces the provider's default address. SearXNG has no default address, because people host it themselves. */
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

/** `allow` and `deny` restrict which addresses agents can read. `private` opens addresses that are closed by default. */
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
    .refine(...eitherOf("url", "command"))
    .optional(),
});

const rules = z.array(z.string()).default([]);
const onOff = z.union([z.boolean(), z.enum(["on", "off"]).transform((word) => word === "on")]);

const SandboxDriver = z.enum(["auto", "none", "bwrap", "srt"]);

/** A host name of letters, digits, hyphens and dots only, so that the name we compare is the host we contact (A33). */
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
  /** Further folders that commands are allowed to write to, such as caches or a git remote on this disk. */
  write: z.array(text).optional(),
});

export const Sandbox = z.union([
  SandboxDriver.transform((driver): z.output<typeof SandboxShape> => ({ driver })),
  SandboxShape,
]);

const Worktrees = z.strictObject({ merge: z.enum(["ask", "auto", "branch", "squash"]).optional() });

/** Settings about users who are not admins. The users themselves are not configured in a file. */
const Users = z.strictObject({ see: z.enum(["own", "all"]).optional() });

const WebhookName = z
  .string()
  .regex(/^[\w-]{1,40}$/, "must be up to 40 letters, digits, hyphens or underscores");

const TriggerName = z
  .string()
  .regex(/^[\w-]{1,40}$/, "must be up to 40 letters, digits, hyphens or underscores");

export const WEBHOOK_EVENTS = ["needs-you", "done", "failed"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The file contains only the names of the variables that hold the secrets. Use `urlEnv` for an address that is secret itself. */
export const Webhook = z
  .strictObject({
    url: Address.optional(),
    urlEnv: variable.optional(),
    form: z.enum(["json", "slack", "ntfy"]).default("json"),
    secretEnv: variable.optional(),
    tokenEnv: variable.optional(),
    events: z
      .array(z.enum(WEBHOOK_EVENTS))
      .min(1)
      .default(() => [...WEBHOOK_EVENTS]),
    /** Allows a webhook to an address on this machine or its local network, or to an address without encryption. */
    private: z.boolean().default(false),
  })
  .refine(...eitherOf("url", "urlEnv"))
  .refine((hook) => hook.private || hook.url === undefined || hook.url.startsWith("https:"), {
    error: "must be an https address, or have `private: true`",
  })
  .refine(({ form, secretEnv }) => form !== "json" || secretEnv !== undefined, {
    error: "needs `secretEnv`, the name of the variable that holds the secret to sign with",
  });
export type Webhook = z.output<typeof Webhook>;

/** The declarations of a key besides its schema. */
export interface KeyFacts<Value> {
  /** `allowed` means that any folder can set the key. A list of rules says which values of the key need trust. */
  untrusted: "allowed" | readonly TrustRule<Value>[];
  /**
   * The parts of the value that can be secrets.
   * - `none`: no part.
   * - `named`: values under names such as `apiKey`, headers, passwords in addresses, and the variables that `…Env` keys name.
   * - `all`: every text in the value.
   */
  secrets: "none" | "named" | "all";
}

export interface TrustRule<Value> {
  /** Text that ends the sentence "this folder is not trusted to set …". */
  what: string;
  /** The part of the value that is ignored in an untrusted folder. If absent, the whole key is ignored. */
  part?: string;
  /** Whether this value needs trust. If absent, every value needs trust. `folder` is the project's folder. */
  needsTrust?(value: Value, folder: string): boolean;
  /** Returns the value without the part that needs trust. */
  without?(value: Value): Value;
}

const key = <S extends z.ZodType>(description: string, schema: S, facts: KeyFacts<z.output<S>>) => ({
  schema: schema.describe(description),
  ...facts,
});

const ANY_FOLDER = { untrusted: "allowed", secrets: "none" } as const;

const alwaysNeedsTrust = (what: string, secrets: "none" | "named") =>
  ({ untrusted: [{ what }], secrets }) as const;

export const DECLARED_KEYS = {
  model: key("The model of agents that name none: `provider/model`", text, ANY_FOLDER),
  providers: key(
    "Model servers in addition to the built-in ones, by name",
    z.record(z.string(), Provider),
    alwaysNeedsTrust("endpoints and keys", "named"),
  ),
  aliases: key(
    "Names for models, as agent files use them: `sonnet`, `fast`",
    z.record(z.string(), text),
    ANY_FOLDER,
  ),
  prices: key(
    "Prices in US dollars per million tokens, by `provider/model`. They override the built-in prices",
    z.record(
      z.string(),
      z.strictObject({
        input: dollars,
        output: dollars,
        cacheRead: dollars.optional().describe("Input that is read from the provider's cache (as `input`)"),
        cacheWrite: dollars.optional().describe("Input that is written to the provider's cache (as `input`)"),
      }),
    ),
    ANY_FOLDER,
  ),
  contextWindows: key(
    "Context windows in tokens, for models whose window Cadre does not know or that are served with a smaller one: `local/qwen: 32768`",
    z.record(z.string(), z.int().min(4_000)),
    ANY_FOLDER,
  ),
  onUnknownPrice: key(
    "What happens if a run with a limit on cost (`maxCost`) would use a model without a known price: it is refused (default), or allowed without a limit on that model's cost",
    z.enum(["refuse", "allow"]),
    ANY_FOLDER,
  ),
  instructions: key(
    "Files with instructions for every agent: `off`, or paths that are read instead of AGENTS.md and CLAUDE.md",
    InstructionNames,
    ANY_FOLDER,
  ),
  limits: key("Limits of every run, unless its agent sets others", LimitsInput, ANY_FOLDER),
  agent: key(
    "The agent of the chat, and another place for the limit on turns: `agent: { max_iters: 20 }` is `limits: { maxTurns: 20 }`",
    z.strictObject({
      max_iters: z.int().nonnegative().optional().describe("As `limits.maxTurns`"),
      default: AgentName.optional().describe(
        "The agent that gets a message of `POST /api/chat` or the page if neither the message nor the settings name one (assistant)",
      ),
    }),
    ANY_FOLDER,
  ),
  handoff: key(
    "What a handoff passes on, unless the agent's file says it",
    z.strictObject({
      pass: z
        .enum(["request+result", "result"])
        .optional()
        .describe("The request and the agent's answer, or the answer alone (request+result)"),
    }),
    ANY_FOLDER,
  ),
  patience: key(
    "How long a run bears with its model's provider",
    z.strictObject({
      outage: Duration.optional().describe(
        "How long a model call waits in total while the provider is overloaded, limits the rate or cannot be reached (6h)",
      ),
      silence: Duration.pipe(z.number().min(1_000, "must be at least 1s"))
        .optional()
        .describe("How long the provider may send nothing before the call is repeated (10m)"),
    }),
    ANY_FOLDER,
  ),
  permissions: key(
    "What agents may do: rules, and a preset for calls that no rule names",
    onlyKeys({
      preset: z.enum(["read-only", "ask", "edits", "trusted"]).exactOptional(),
      allow: rules,
      ask: rules,
      deny: rules,
    }),
    {
      // `ask` and `deny` rules only restrict agents further, so any folder can set them.
      untrusted: [
        {
          what: "a preset that allows more",
          part: "preset",
          needsTrust: ({ preset }) => preset === "edits" || preset === "trusted",
          without: (permissions) => {
            const rest = { ...permissions };
            delete rest.preset;
            return rest;
          },
        },
        {
          what: "allow rules",
          part: "allow",
          needsTrust: ({ allow }) => allow.length > 0,
          without: (value) => ({ ...value, allow: [] }),
        },
      ],
      secrets: "none",
    },
  ),
  effects: key(
    "What happens to commands that a crash cuts off, by rule: `Bash(npm run e2e): read`. `read` and `idempotent` commands run again, `unsafe` ones wait for a person. Common test runners, compilers and linters run again by default. A class never allows a command",
    z.record(
      z.string().refine((rule) => /^\s*Bash\(.*\S.*\)\s*$/s.test(rule), {
        error: "must be a rule for commands, such as `Bash(npm test)`",
      }),
      z.enum(["read", "idempotent", "unsafe"]),
    ),
    {
      // Commands with the class `unsafe` never run again by themselves, so any folder can set this class.
      untrusted: [
        {
          what: "which commands run again after a crash",
          needsTrust: (effects) => Object.values(effects).some((effect) => effect !== "unsafe"),
        },
      ],
      secrets: "none",
    },
  ),
  approvals: key(
    "What happens to an approval that nobody answers",
    z.strictObject({
      timeout: Duration.optional().describe("As `limits.approvalTimeout`"),
      onTimeout: z
        .enum(["reject", "fail", "wait"])
        .optional()
        .describe("After `timeout`, the call is rejected, the run fails, or it keeps waiting (reject)"),
      unattended: z
        .enum(["park", "reject", "fail"])
        .optional()
        .describe("What happens if no person is there to ask: wait without a deadline, or as above (park)"),
      onLoop: z
        .enum(["ask", "continue"])
        .optional()
        .describe("An agent repeats itself: it waits for a person, or goes on up to its limits (ask)"),
    }),
    ANY_FOLDER,
  ),
  mcpServers: key(
    "MCP servers, by name",
    z.record(z.string(), McpServer),
    alwaysNeedsTrust("commands and endpoints", "named"),
  ),
  loki: key("The Loki server that log tools query", QueryServer, alwaysNeedsTrust("endpoints", "named")),
  prometheus: key(
    "The Prometheus server that metric tools query",
    QueryServer,
    alwaysNeedsTrust("endpoints", "named"),
  ),
  web: key("The hosts that pages may be read from", Web, {
    untrusted: [
      {
        what: "what of your network is read",
        part: "private",
        needsTrust: (web) => web.private.length > 0,
        without: (web) => ({ ...web, private: [] }),
      },
    ],
    secrets: "none",
  }),
  services: key(
    "Services that agents may restart: the command, and how to check their health",
    z.record(z.string(), Service),
    alwaysNeedsTrust("commands", "none"),
  ),
  variables: key(
    "Variables of Cadre's own environment that agents may pass to their programs",
    z.array(variable),
    alwaysNeedsTrust("variables", "none"),
  ),
  roles: key(
    "Agents in the format of other products: a list, or a file with one",
    z.union([text, z.array(z.unknown()), z.looseObject({})]),
    ANY_FOLDER,
  ),
  sandbox: key("The sandbox that commands run in, and what they can reach from it", Sandbox, {
    untrusted: [{ what: "a weaker sandbox", needsTrust: isWeaker }],
    secrets: "none",
  }),
  taint: key("Whether more calls ask once untrusted input has come into a run (on)", onOff, {
    untrusted: [{ what: "weaker checks", needsTrust: (isOn) => !isOn }],
    secrets: "none",
  }),
  store: key("Where journals are kept: `sqlite:<file>`, `postgres://…`, or `env:NAME`", text, {
    untrusted: [
      { what: "a store outside the folder", needsTrust: (store, folder) => !isOwnStore(folder, store) },
    ],
    secrets: "named",
  }),
  engine: key(
    "The engine that decides which run is driven next (local)",
    z.enum(["local", "pg-boss", "restate"]),
    {
      untrusted: [{ what: "who drives its runs", needsTrust: (engine) => engine !== "local" }],
      secrets: "none",
    },
  ),
  restate: key("Settings of the engine `restate`", Restate, alwaysNeedsTrust("endpoints", "none")),
  server: key(
    "Where `cadre up` serves (127.0.0.1:4470)",
    z.strictObject({
      host: text.optional(),
      port: z.int().min(0).max(65_535).optional(),
      /** The server's address in links that Cadre sends to people, such as https://cadre.example.com. */
      url: Endpoint.optional(),
      /** Further host names that the server accepts in requests. It always accepts loopback names such as `localhost`. */
      names: z.array(text).optional(),
    }),
    {
      untrusted: [
        {
          what: "where the server listens",
          needsTrust: ({ host, names, url }) => !isLoopback(host) || names !== undefined || url !== undefined,
        },
      ],
      secrets: "none",
    },
  ),
  concurrency: key(
    "How many agents may work in one workspace at the same time (10)",
    z.int().positive(),
    ANY_FOLDER,
  ),
  search: key("The provider of web searches", Search, alwaysNeedsTrust("endpoints", "named")),
  webhooks: key(
    "Where notices are sent, by name",
    z.record(WebhookName, Webhook),
    alwaysNeedsTrust("endpoints", "named"),
  ),
  hooks: key(
    "Commands that run before and after tool calls, and at the start and end of a run, by event",
    Hooks,
    alwaysNeedsTrust("commands", "named"),
  ),
  worktrees: key(
    "How the work of agents with `workspace: worktree` reaches the project's folder: a person sees one diff and decides (`merge: ask`, the default, and `merge: squash`, which adds one ordinary commit), without a question (`merge: auto`), or not at all (`merge: branch`)",
    Worktrees,
    {
      untrusted: [
        {
          what: "that work is merged without a question",
          part: "merge",
          needsTrust: ({ merge }) => merge === "auto",
          without: (worktrees) => {
            const { merge: _, ...rest } = worktrees;
            return rest;
          },
        },
      ],
      secrets: "none",
    },
  ),
  users: key("What users who are not admins can see", Users, alwaysNeedsTrust("who may act", "none")),
  pools: key(
    "The folders whose runs a worker pool takes, beside those of agents that name the pool",
    z.record(z.string().regex(/^[\w.-]{1,40}$/, "must be a short name"), z.array(text)),
    alwaysNeedsTrust("whose runs are driven here", "none"),
  ),
  schedules: key(
    "Runs that start at given times, by name",
    z.record(TriggerName, Schedule),
    alwaysNeedsTrust("what starts by itself", "none"),
  ),
  triggers: key(
    "Messages of other systems that start runs, by the name in `POST /hooks/<name>`",
    z.record(TriggerName, InboundHook),
    alwaysNeedsTrust("what starts by itself", "named"),
  ),
  retention: key("Accepted, but without effect yet: see `cadre prune`", z.unknown(), ANY_FOLDER),
};

type Declared = typeof DECLARED_KEYS;

/** The schema of each key, without its other declarations. */
export const CONFIG_KEYS = Object.fromEntries(
  Object.entries(DECLARED_KEYS).map(([name, { schema }]) => [name, schema]),
) as { [Key in keyof Declared]: Declared[Key]["schema"] };

export type ConfigValues = KeyValues<typeof CONFIG_KEYS>;

/** `off` is the only network setting that is stricter than the default. */
function isWeaker({ driver, network = "off", write = [] }: z.output<typeof Sandbox>): boolean {
  return driver === "none" || (network !== "off" && network !== "approved") || write.length > 0;
}

function isLoopback(host: string | undefined): boolean {
  return host === undefined || host === "127.0.0.1" || host === "localhost" || host === "::1";
}

function isOwnStore(folder: string, store: string): boolean {
  if (!store.startsWith("sqlite:")) return false;
  const way = relative(resolve(folder), resolve(folder, store.slice("sqlite:".length)));
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}
