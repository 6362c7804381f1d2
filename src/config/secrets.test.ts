import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { configuredSecrets, envFiles, environmentSecrets } from "./secrets.ts";

const root = mkdtempSync(join(tmpdir(), "cadre-secrets-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const valuesIn = (env: Record<string, string>, certain: string[] = []): string[] =>
  environmentSecrets(env, certain).map(({ value }) => value);

describe("[A61] [A32] recognising secrets", () => {
  test.each([
    ["ANTHROPIC_API_KEY", "abcd-1234"],
    ["GITHUB_TOKEN", "abcdefghij"],
    ["AWS_SECRET_ACCESS_KEY", "/abc+def/ghi"],
    ["MY_SECRET", "correct horse battery staple"],
    ["dbPassword", "hunter2hunter2"],
    ["POSTGRES_PASSWD", "swordfish"],
    ["DB_PASS", "swordfish"],
    ["GOOGLE_CREDENTIALS", '{"private_key": "x"}'],
    ["AUTH", "dXNlcjpwYXNz"],
    ["OAUTH_CODE", "4/0AX4XfWh"],
    ["NPM_CONFIG__AUTHTOKEN", "abcdefghij"],
    ["my.api-key", "abcdefghij"],
    ["APIKEY", "abcdefghij"],
    ["STRIPE_KEY", " padded-value "],
    ["GH_PAT", "abcdefghij"],
  ])("the value of the variable %s is a secret", (name, value) => {
    expect(valuesIn({ [name]: value })).toEqual([value.trim()]);
  });

  test.each([
    ["SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"],
    ["XAUTHORITY", "/home/me/.Xauthority"],
    ["GOOGLE_APPLICATION_CREDENTIALS", "/keys/service.json"],
    ["KEY_DIR", "/etc/some/where"],
    ["TOKEN_FOLDER", tmpdir()],
    ["GIT_AUTHOR_NAME", "Maria Example"],
    ["MAX_TOKENS", "200000000"],
    ["TOKEN_TTL", "1 day or so"],
    ["AUTH_METHOD", "client_secret_basic"],
    ["AUTH_TYPE", "interactive"],
    ["AUTH_URL", "https://login.example.com/"],
    ["SECRET_SERVICE", "https://vault.example.com"],
    ["API_KEY", "short"],
    ["PASSWORD", "password"],
    ["API_KEY", "your-api-key-here"],
    ["API_KEY", "$OTHER_KEY"],
    ["API_KEY", "xxxxxxxxxxxx"],
    ["KEYBOARD", "de-nodeadkeys"],
    ["MONKEYS", "capuchins"],
    ["PWD", "/home/me/work"],
    ["EDITOR", "some-editor"],
  ])("%s=%s is not a secret", (name, value) => {
    expect(valuesIn({ [name]: value })).toEqual([]);
  });

  test("if any variable holds a URL with a password, the password is a secret, both encoded and decoded", () => {
    expect(valuesIn({ DATABASE_URL: "postgres://me:p%40ss-word@db.test:5432/x?a=b" })).toEqual([
      "p%40ss-word",
      "p@ss-word",
    ]);
    expect(valuesIn({ BROKER: "amqp://u:long-enough@h" })).toEqual(["long-enough"]);
    expect(valuesIn({ HOME_PAGE: "https://example.com/a:b@c" })).toEqual([]);
  });

  test("a variable that the configuration uses as a key is a secret, whatever its name", () => {
    expect(valuesIn({ LOCAL: "abcdefghij" })).toEqual([]);
    expect(valuesIn({ LOCAL: "abcdefghij" }, ["LOCAL"])).toEqual(["abcdefghij"]);
  });

  test("headers and variables in the configuration are recognised as secrets", () => {
    const settings = {
      providers: { local: { headers: { Authorization: "Bearer abcdefghij", "X-Title": "my project" } } },
      mcpServers: {
        git: { command: "some-command", env: { GIT_TOKEN: "klmnopqrst", MODE: "read-only-mode" } },
      },
    };
    expect(configuredSecrets(settings).map(({ value }) => value)).toEqual(["abcdefghij", "klmnopqrst"]);
  });
});

describe("[A61] the project's .env files", () => {
  test(".env files in subfolders are found, and their values are not added to Cadre's own environment", () => {
    const folder = join(root, "project");
    mkdirSync(join(folder, "apps", "web"), { recursive: true });
    mkdirSync(join(folder, "node_modules", "x"), { recursive: true });
    const files = {
      ".env": "A_TOKEN=value-of-a\nPORT=8080\nexport B_SECRET='value of b'\n",
      ".env.local": 'C_KEY="value\\nof c"\r\n',
      "prod.env": "D_KEY=value-of-d\n",
      "apps/web/.env.production": "E_KEY=value-of-e\n",
      ".env.example": "F_KEY=value-of-f\n",
      "node_modules/x/.env": "G_KEY=value-of-g\n",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    symlinkSync("/dev/zero", join(folder, ".env.endless"));
    const found = envFiles(folder)
      .secrets()
      .map(({ name, value }) => `${name}=${value}`);
    expect(found.sort()).toEqual([
      "A_TOKEN=value-of-a",
      "B_SECRET=value of b",
      "C_KEY=value\nof c",
      "D_KEY=value-of-d",
      "E_KEY=value-of-e",
    ]);
    expect(process.env["A_TOKEN"]).toBeUndefined();
  });

  test("a new or changed .env file is noticed at the next check", () => {
    const folder = join(root, "changing");
    mkdirSync(folder);
    const files = envFiles(folder);
    expect(files.changed()).toBe(false);
    writeFileSync(join(folder, ".env"), "A_KEY=first-value\n");
    expect(files.changed()).toBe(true);
    expect(files.secrets()).toEqual([{ name: "A_KEY", value: "first-value" }]);
    expect(files.changed()).toBe(false);
    writeFileSync(join(folder, ".env"), "A_KEY=second-value!\n");
    expect(files.changed()).toBe(true);
    expect(files.secrets()).toEqual([{ name: "A_KEY", value: "second-value!" }]);
  });

  test("[A32] Cadre's own token is a secret, even if the token is created after the start", () => {
    const folder = join(root, "up");
    mkdirSync(join(folder, ".cadre"), { recursive: true });
    const files = envFiles(folder);
    expect(files.secrets()).toEqual([]);
    writeFileSync(join(folder, ".cadre/token"), "a-token-of-some-length\n");
    expect(files.changed()).toBe(true);
    expect(files.secrets()).toEqual([{ name: "CADRE_TOKEN", value: "a-token-of-some-length" }]);
  });

  test("a missing folder causes no error and has no secrets", () => {
    expect(envFiles(join(root, "nowhere")).secrets()).toEqual([]);
  });
});

test.each([
  ["a://", ":".repeat(500_000)],
  ["a://", `${"a:".repeat(250_000)}@ `],
  ["postgres://", `u:${"p".repeat(500_000)}/`],
  ["x".repeat(250_000), "://".repeat(80_000)],
  ["a://b:", "@".repeat(500_000)],
])("[A76] [30.15] a crafted address in a .env does not block the process: %.9s", (start, rest) => {
  expect(valuesIn({ PLAIN: `${start}${rest}` }).every((value) => value.length > 0)).toBe(true);
});
