// Tests `.mcp.json` files as other products write them, and as an attacker could write them.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "./config.ts";
import { readMcpJson } from "./mcp-json.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cadre-mcp-json-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (value: unknown): void =>
  writeFileSync(join(folder, ".mcp.json"), typeof value === "string" ? value : JSON.stringify(value));

describe(".mcp.json in a trusted folder", () => {
  test("servers are read in the format of other products; keys that would make a server trusted are ignored", () => {
    write({
      mcpServers: {
        git: {
          type: "stdio",
          command: "mcp-git",
          args: ["."],
          env: { A: "b" },
          trusted: true,
          readOnly: ["x"],
        },
        docs: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } },
      },
    });
    const { servers, problems } = readMcpJson(folder, true);
    expect(problems).toEqual([]);
    expect({ ...servers }).toEqual({
      git: { type: "stdio", command: "mcp-git", args: ["."], env: { A: "b" } },
      docs: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } },
    });
  });

  test.each([
    [{ type: "sse", url: "https://example.com/sse" }, "mcpServers.x.type"],
    [{ url: "file:///etc/passwd" }, "http or https"],
    [{ url: "https://u:p@example.com" }, "without a password"],
    [{ command: "a", url: "https://example.com" }, "either `command` or `url`"],
    [{}, "either `command` or `url`"],
    [{ command: "a", env: { "A=B": "c" } }, "mcpServers.x.env"],
  ])("the server %j of .mcp.json is left out and reported", (server, words) => {
    write({ mcpServers: { x: server, ok: { command: "a" } } });
    const { servers, problems } = readMcpJson(folder, true);
    expect(Object.keys(servers)).toEqual(["ok"]);
    expect(problems[0]?.message).toContain(words);
  });

  test.each(["no json", "[]", '{"mcpServers": []}', '{"mcpServers": {"__proto__": {"command": "a"}}}'])(
    "malformed content of .mcp.json does not pollute prototypes: %s",
    (text) => {
      write(text);
      const { servers } = readMcpJson(folder, true);
      expect(servers["polluted"]).toBeUndefined();
      expect(({} as Record<string, unknown>)["command"]).toBeUndefined();
    },
  );

  test("a folder, pipe or device named .mcp.json is reported and not read", () => {
    mkdirSync(join(folder, ".mcp.json"));
    expect(readMcpJson(folder, true).problems[0]?.message).toMatch(/plain file/);
    rmSync(join(folder, ".mcp.json"), { recursive: true });
    execFileSync("mkfifo", [join(folder, ".mcp.json")]);
    expect(readMcpJson(folder, true).problems[0]?.message).toMatch(/plain file/);
    rmSync(join(folder, ".mcp.json"));
    symlinkSync("/dev/zero", join(folder, ".mcp.json"));
    expect(readMcpJson(folder, true).problems[0]?.message).toMatch(/plain file/);
  });

  test("a server in cadre.yaml overrides the server of the same name in .mcp.json", () => {
    write({ mcpServers: { git: { command: "theirs" }, more: { command: "more" } } });
    writeFileSync(join(folder, "cadre.yaml"), "mcpServers: { git: { command: ours, env: [TOKEN] } }");
    const { mcpServers } = loadConfig({ folder, env: { CADRE_TRUST: "1" } });
    expect(mcpServers).toEqual({
      git: { command: "ours", env: { TOKEN: ["$", "{TOKEN}"].join("") } },
      more: { command: "more" },
    });
  });
});

test("[A52] in an untrusted folder .mcp.json is ignored, even if the file claims to be trusted", () => {
  write({ mcpServers: { evil: { command: "touch" } }, trust: true, enableAllProjectMcpServers: true });
  const { servers, ignored } = readMcpJson(folder, false);
  expect(servers).toEqual({});
  expect(ignored).toMatchObject([{ problem: { file: ".mcp.json", code: "UNTRUSTED" } }]);
});
