import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ConfigFlags, loadConfig } from "./config.ts";
import { type Env, isTrusted, setTrust } from "./trust.ts";

let root: string;
let folder: string;
let env: Record<string, string>;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cadre-config-"));
  folder = join(root, "project");
  mkdirSync(folder);
  env = { XDG_CONFIG_HOME: join(root, "config") };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const load = (yaml?: string, more: Env = {}, flags: ConfigFlags = {}) => {
  if (yaml !== undefined) writeFileSync(join(folder, "cadre.yaml"), yaml);
  return loadConfig({ folder, env: { ...env, ...more }, flags });
};
const loadTrusted = (yaml: string) => load(yaml, { CADRE_TRUST: "1" });

/** The complete example of the design document. */
const EXAMPLE = `
model: anthropic/claude-sonnet-4-5            # default
providers:
  local: { type: openai-compatible, baseURL: http://127.0.0.1:11434/v1, apiKeyEnv: LOCAL_API_KEY }
aliases: { fast: local/qwen3-coder-30b, deep: anthropic/claude-opus-4-5 }
prices: { local/qwen3-coder-30b: { input: 0, output: 0 } }
limits: { maxDepth: 3, maxTurns: 20, tree: { maxTokens: 2000000, maxCost: 5 } }
agent: { max_iters: 20 }
permissions: { allow: [Read, "Bash(npm test)"], ask: [Bash, Write, Edit], deny: [WebSearch] }
approvals: { timeout: 60m, onTimeout: reject, unattended: park }
mcpServers: { git: { command: mcp-server-git, args: [--repository, .] }, docs: { url: "https://example.com/mcp" } }
loki: { url: http://127.0.0.1:3100 }
services: { web: { restart: [systemctl, restart, web] } }
roles: []
sandbox: auto
taint: on
store: sqlite:.cadre/cadre.db
engine: local
server: { host: 127.0.0.1, port: 4470 }
concurrency: 10
search: { provider: searxng, url: http://127.0.0.1:8888 }
webhooks: {}
users: {}
pools: {}
retention: {}
`;

describe("reading cadre.yaml", () => {
  test("without a cadre.yaml every setting has its default, and the runtime chooses the model", () => {
    const config = load();
    expect(config).toMatchObject({
      file: undefined,
      trusted: false,
      dir: join(folder, ".cadre"),
      store: `sqlite:${join(folder, ".cadre", "cadre.db")}`,
      engine: "local",
      sandbox: { driver: "auto", network: "approved", write: [] },
      taint: true,
      approvals: { onTimeout: "reject", unattended: "park" },
      permissions: { allow: [], ask: [], deny: [] },
      server: { host: "127.0.0.1", port: 4470 },
      problems: [],
    });
    expect(config.model).toBeUndefined();
  });

  test("the example of the design document loads without problems in a trusted folder", () => {
    expect(loadTrusted(EXAMPLE)).toMatchObject({
      model: "anthropic/claude-sonnet-4-5",
      providers: { local: { type: "openai-compatible", apiKeyEnv: "LOCAL_API_KEY" } },
      aliases: { fast: "local/qwen3-coder-30b" },
      prices: { "local/qwen3-coder-30b": { input: 0 } },
      limits: { maxDepth: 3, tree: { maxCost: 5 } },
      permissions: { allow: ["Read", "Bash(npm test)"], deny: ["WebSearch"] },
      approvals: { timeout: 3_600_000 },
      mcpServers: { git: { command: "mcp-server-git" } },
      services: { web: { restart: ["systemctl", "restart", "web"] } },
      taint: true,
      store: `sqlite:${join(folder, ".cadre/cadre.db")}`,
      problems: [],
    });
  });

  test("prices and context windows of models are checked", () => {
    const text = "prices: { a/b: { input: 1, output: 2, cacheRead: 0.1 } }\ncontextWindows: { a/b: 32768 }";
    expect(load(text)).toMatchObject({
      prices: { "a/b": { input: 1, output: 2, cacheRead: 0.1 } },
      contextWindows: { "a/b": 32_768 },
      problems: [],
    });
    for (const wrong of [
      "prices: { a/b: { input: 1 } }",
      "contextWindows: { a/b: 32k }",
      "contextWindows: { a/b: 8 }",
    ])
      expect(() => load(wrong), wrong).toThrow("a/b");
  });

  test("a provider in a cloud accepts only the settings of that cloud", () => {
    const azure = "providers: { work: { type: azure, resource: acme } }";
    expect(loadTrusted(azure).providers).toEqual({ work: { type: "azure", resource: "acme" } });
    expect(() => loadTrusted("providers: { work: { type: azure, region: eu-west-1 } }")).toThrow(
      "only a provider of the type bedrock has this setting",
    );
    expect(() => loadTrusted('providers: { work: { type: azure, resource: "acme.example/" } }')).toThrow(
      "must be letters, digits and hyphens",
    );
  });

  test("cadre.yaml can be empty, can have CRLF line ends, and can begin with a BOM", () => {
    expect(load("").problems).toEqual([]);
    expect(load("\uFEFFmodel: a/b\r\nengine: local\r\n").model).toBe("a/b");
  });

  test.each(["maxIterations", "max_iters", "max_turns"])(
    "[B1] `limits.%s` is an alias of `maxTurns`",
    (key) => {
      expect(load(`limits: { ${key}: 7, maxDuration: 5s }`)).toMatchObject({
        limits: { maxTurns: 7, maxDuration: 5_000 },
        problems: [],
      });
      expect(() => load(`limits: { ${key}: 7, maxTurns: 8 }`)).toThrow("both set `maxTurns`");
    },
  );

  test.each([
    ["agent: { max_iters: 7 }", 7],
    ["agent: { max_iters: 7 }\nlimits: { maxDepth: 1 }", 7],
    ["agent: { max_iters: 7 }\nlimits: { maxTurns: 9 }", 9],
  ])("[28.16] [S4-10] `%s` limits the turns", (yaml, maxTurns) => {
    expect(load(yaml)).toMatchObject({ limits: { maxTurns }, problems: [] });
  });

  test("an unknown key causes a warning that suggests a similar key", () => {
    expect(load("modle: a/b\nlimits: {maxTurn: 1}").problems).toMatchObject([
      { code: "UNKNOWN_KEY", line: 1, column: 1, suggestion: "did you mean `model`?" },
      { code: "UNKNOWN_KEY", line: 2, column: 10, suggestion: "did you mean `maxTurns`?" },
    ]);
  });

  test.each([
    ["model: a: b", "cadre.yaml:1:8 a colon inside plain text"],
    ["- a", "cadre.yaml:1:1 must be"],
    ["model: a\nengine: docker", "cadre.yaml:2:9 `engine`: must be one of local, pg-boss, restate"],
    ["approvals: {timeout: soon}", 'cadre.yaml:1:22 `approvals.timeout`: "soon" is no duration'],
    ["permissions: {dney: [Bash]}", "`permissions.dney`: is not known here: did you mean `deny`?"],
    ["server: {port: 99999}", "cadre.yaml:1:16 `server.port`"],
    ["loki: {url: ftp://a}", "cadre.yaml:1:13 `loki.url`: must be an http or https address"],
    ["loki: {url: http://me:secret@a}", "`loki.url`: must be an address alone, without a password"],
    ["services: {web: {restart: []}}", "`services.web.restart`"],
    ["services: {web: {restart: systemctl restart web}}", "`services.web.restart`: must be a list"],
    ["services: {web: {restart: [a], health: {timeout: 1s}}}", "either `url` or `command`"],
    ["web: {allow: ['*.example.com']}", '`web.allow.0`: "*.example.com" is no host: write example.com'],
    ["web: {deny: ['example.com/x']}", '"example.com/x" is no host'],
    ["web: {allow: ['example.com:80']}", '"example.com:80" is no host'],
    ["web: {private: ['10.0.0.0/33']}", '"10.0.0.0/33" is no site'],
    ["web: {private: ['http://a']}", '"http://a" is no site'],
    ["search: {provider: google}", "`search.provider`: must be one of searxng, brave, tavily"],
    ["search: {provider: searxng}", "`search`: needs `url`"],
    ["search: {provider: brave}", "`search`: needs `keyEnv`"],
    ["search: {provider: brave, keyEnv: A, url: 'http://me:x@a'}", "without a password"],
    ["web: {timeout: 1h}", "must be at most 5m"],
    ["__proto__: {a: 1}", "cadre.yaml:1:1 `__proto__` is not allowed"],
    ["model: 3\nengine: 4", "(and 1 more)"],
  ])("cadre.yaml with %s is rejected with a clear message", (yaml, words) => {
    expect(() => loadTrusted(yaml)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(words) }),
    );
  });

  test("the settings of Loki and of a service with a health check are read; a secret in the file is ignored with a warning", () => {
    const yaml = `
loki: { url: "https://logs.example/loki", tokenEnv: LOKI_TOKEN, tenantEnv: LOKI_TENANT, timeout: 5s, token: x }
services: { api: { restart: [docker, restart, api], health: { url: "http://127.0.0.1:80/health", timeout: 1m } } }`;
    expect(loadTrusted(yaml)).toMatchObject({
      loki: { url: "https://logs.example/loki", tokenEnv: "LOKI_TOKEN", timeout: 5_000 },
      services: { api: { restart: ["docker", "restart", "api"], health: { timeout: 60_000 } } },
      problems: [{ code: "UNKNOWN_KEY", message: "unknown key `loki.token`" }],
    });
    expect(loadTrusted(yaml).loki).not.toHaveProperty("token");
  });

  test("[A45] hosts and address ranges under `web` are normalised as in URLs", () => {
    const yaml = `
web:
  allow: [Example.COM., münchen.de, 0x7f.1, "::1"]
  private: [localhost:3000, 10.1.0.0/16, "[::1]:8080", fd00::/8, "127.1"]
  timeout: 5s`;
    expect(loadTrusted(yaml).web).toEqual({
      allow: ["example.com", "xn--mnchen-3ya.de", "127.0.0.1", "::1"],
      deny: [],
      private: [
        { host: "localhost", port: 3000 },
        { range: "10.1.0.0/16" },
        { range: "::1/128", port: 8080 },
        { range: "fd00::/8" },
        { range: "127.0.0.1/32" },
      ],
      timeout: 5_000,
    });
  });

  test("an unreadable cadre.yaml is rejected as CONFIG_INVALID", () => {
    mkdirSync(join(folder, "cadre.yaml"));
    expect(() => load()).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });
});

describe("environment variables and flags", () => {
  const yaml = "model: file/m\nstore: sqlite:file.db\nserver: {host: 127.0.0.1, port: 1}";

  test("environment variables override the file, and flags override both", () => {
    const variables = { CADRE_MODEL: "env/m", CADRE_STORE: "sqlite:env.db", CADRE_PORT: "2" };
    expect(load(yaml)).toMatchObject({
      model: "file/m",
      store: `sqlite:${join(folder, "file.db")}`,
      server: { port: 1 },
    });
    expect(load(yaml, variables)).toMatchObject({
      model: "env/m",
      store: `sqlite:${join(folder, "env.db")}`,
      server: { port: 2 },
    });
    expect(load(yaml, variables, { model: "flag/m", port: 3 })).toMatchObject({
      model: "flag/m",
      store: `sqlite:${join(folder, "env.db")}`,
      server: { host: "127.0.0.1", port: 3 },
    });
  });

  test("CADRE_DIR moves the state folder, including the default store", () => {
    const dir = join(root, "elsewhere");
    expect(load("", { CADRE_DIR: dir })).toMatchObject({ dir, store: `sqlite:${join(dir, "cadre.db")}` });
  });

  test("`sqlite::memory:` is not turned into a file path", () => {
    expect(load("", { CADRE_STORE: "sqlite::memory:" }).store).toBe("sqlite::memory:");
  });

  test("an empty variable is ignored; the error about an invalid variable names the variable", () => {
    expect(load(yaml, { CADRE_MODEL: "" }).model).toBe("file/m");
    expect(() => load("", { CADRE_ENGINE: "docker" })).toThrow(
      /CADRE_ENGINE must be one of local, pg-boss, restate, and is "docker"/,
    );
    expect(() => load("", {}, { sandbox: "x" })).toThrow(/--sandbox .*, and is "x"/);
  });
});

describe("the setting `engine`", () => {
  const [POSTGRES, NEEDS] = ["postgres://db/cadre", "needs a Postgres store"];

  test("[E8] CADRE_ENGINE overrides the file's engine, and a flag overrides both", () => {
    const yaml = `engine: pg-boss\nstore: ${POSTGRES}`;
    expect(loadTrusted(yaml).engine).toBe("pg-boss");
    expect(load(yaml, { CADRE_TRUST: "1", CADRE_ENGINE: "restate" }).engine).toBe("restate");
    const all = { CADRE_TRUST: "1", CADRE_ENGINE: "restate" };
    expect(load(yaml, all, { engine: "local" }).engine).toBe("local");
  });

  test("[E8] an engine for several machines cannot be combined with a SQLite store", () => {
    expect(() => loadTrusted("engine: pg-boss")).toThrow(NEEDS);
    expect(() => load("", { CADRE_ENGINE: "restate" })).toThrow(NEEDS);
    expect(load("", { CADRE_ENGINE: "restate", CADRE_STORE: POSTGRES }).engine).toBe("restate");
  });

  test("[A53] an untrusted file cannot choose the engine", () => {
    const config = load(`engine: pg-boss\nstore: ${POSTGRES}`);
    expect(config.engine).toBe("local");
    expect(config.problems).toMatchObject([{ code: "UNTRUSTED" }, { code: "UNTRUSTED" }]);
  });
});

describe("trusted and untrusted folders", () => {
  test("[A53] an untrusted file cannot set endpoints, commands or allow rules; its deny and ask rules apply", () => {
    const config = load(EXAMPLE);
    expect(config).toMatchObject({
      trusted: false,
      model: "anthropic/claude-sonnet-4-5",
      providers: {},
      mcpServers: {},
      services: {},
      permissions: { allow: [], ask: ["Bash", "Write", "Edit"], deny: ["WebSearch"] },
    });
    expect(config.loki).toBeUndefined();
    expect(config.search).toBeUndefined();
    expect(config.problems.every(({ code }) => code === "UNTRUSTED")).toBe(true);
    expect(config.problems[0]).toMatchObject({
      line: 3,
      column: 1,
      severity: "warning",
      message: "`providers` is ignored: this folder is not trusted to set endpoints and keys",
      suggestion: expect.stringContaining("cadre trust"),
    });
  });

  test.each([
    "webhooks: { all: { url: 7 } }",
    "hooks: [x]",
    "mcpServers: 3",
    "providers: { a: b }",
    "users: 1",
  ])("[30.12] a mistake in a setting that an untrusted file cannot make stops no command: %s", (yaml) => {
    const key = yaml.slice(0, yaml.indexOf(":"));
    expect(load(`${yaml}\nmodel: a/b\n`)).toMatchObject({ model: "a/b", isStrangers: true });
    expect(load(yaml).ignoredSettings).toMatchObject([
      { path: key, problem: { line: 1, code: "UNTRUSTED" } },
    ]);
    expect(() => loadTrusted(yaml)).toThrow(/cadre.yaml:1/);
  });

  test.each([
    ["sandbox: none", { sandbox: { driver: "auto", network: "approved", write: [] } }],
    ["sandbox: { write: [../x] }", { sandbox: { driver: "auto", network: "approved", write: [] } }],
    ["sandbox: { network: on }", { sandbox: { driver: "auto", network: "approved", write: [] } }],
    [
      "sandbox: { driver: srt, network: [evil.test] }",
      { sandbox: { driver: "auto", network: "approved", write: [] } },
    ],
    ["taint: off", { taint: true }],
    ["permissions: {preset: trusted}", { permissions: { allow: [], ask: [], deny: [] } }],
    ["permissions: {preset: edits, ask: [Read]}", { permissions: { ask: ["Read"] } }],
    ["server: {host: 0.0.0.0}", { server: { host: "127.0.0.1", port: 4470 } }],
    ["store: postgres://evil/db", { store: expect.stringMatching(/^sqlite:/) }],
    ["store: sqlite:../../other.db", { store: expect.stringContaining("project") }],
    [
      "web: {deny: [a.example], private: [127.0.0.1]}",
      { web: { allow: [], deny: ["a.example"], private: [] } },
    ],
  ])("an untrusted file cannot weaken protections: %s", (yaml, expected) => {
    const config = load(yaml);
    expect(config).toMatchObject(expected);
    expect(config.problems).toMatchObject([{ code: "UNTRUSTED" }]);
    expect(loadTrusted(yaml).problems).toEqual([]);
  });

  test.each(["read-only", "ask"])("an untrusted file can choose a stricter preset: %s", (preset) => {
    expect(load(`permissions: {preset: ${preset}}`)).toMatchObject({ permissions: { preset }, problems: [] });
  });

  test("`sandbox` can be a driver name or an object; missing fields get their defaults", () => {
    const yaml = "sandbox: { network: [registry.example.com, '*.example.org'], write: [../remote.git] }";
    expect(loadTrusted(yaml).sandbox).toEqual({
      driver: "auto",
      network: ["registry.example.com", "*.example.org"],
      write: [join(folder, "../remote.git")],
    });
    expect(loadTrusted("sandbox: srt").sandbox).toEqual({ driver: "srt", network: "approved", write: [] });
    expect(loadTrusted("sandbox: { network: off }").sandbox.network).toBe("off");
    expect(load("sandbox: { network: off }").problems).toEqual([]);
  });

  test.each(["example.com\\0.evil.test", "*", "a b", "EXAMPLE.com", "-x", "http://x", "x.", "[::1]"])(
    "[A33] %j is rejected as a host name of the sandbox's network",
    (host) => {
      expect(() => loadTrusted(`sandbox: { network: [${JSON.stringify(host)}] }`)).toThrow(/host's name/);
    },
  );

  test("variables and flags apply even in an untrusted folder", () => {
    expect(load("", { CADRE_STORE: "postgres://mine/db" }, { sandbox: "none" })).toMatchObject({
      store: "postgres://mine/db",
      sandbox: { driver: "none" },
    });
  });

  test("trust is recorded once, outside the folder, under the folder's real path", () => {
    expect(isTrusted(folder, env)).toBe(false);
    setTrust(folder, "trusted", env);
    setTrust(folder, "trusted", env);
    symlinkSync(folder, join(root, "link"));
    expect(isTrusted(folder, env)).toBe(true);
    expect(isTrusted(join(root, "link"), env)).toBe(true);
    expect(isTrusted(root, env)).toBe(false);
    const file = join(root, "config", "cadre", "trusted.json");
    expect(JSON.parse(readFileSync(file, "utf8")).folders).toHaveLength(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(load(EXAMPLE).problems).toEqual([]);
  });

  test("if the trust list is corrupt, no folder is trusted", () => {
    mkdirSync(join(root, "config", "cadre"), { recursive: true });
    writeFileSync(join(root, "config", "cadre", "trusted.json"), "{");
    expect(isTrusted(folder, env)).toBe(false);
    expect(isTrusted(folder, { ...env, CADRE_TRUST: "0" })).toBe(false);
  });
});
