// `.mcp.json`: what other products write there, and what somebody could put there.

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

describe("in a trusted folder", () => {
  test("servers are read in the form of other products; what would widen our trust is not", () => {
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
  ])("%j is left out, and said", (server, said) => {
    write({ mcpServers: { x: server, ok: { command: "a" } } });
    const { servers, problems } = readMcpJson(folder, true);
    expect(Object.keys(servers)).toEqual(["ok"]);
    expect(problems[0]?.message).toContain(said);
  });

  test.each(["no json", "[]", '{"mcpServers": []}', '{"mcpServers": {"__proto__": {"command": "a"}}}'])(
    "%s harms nothing",
    (text) => {
      write(text);
      const { servers } = readMcpJson(folder, true);
      expect(servers["polluted"]).toBeUndefined();
      expect(({} as Record<string, unknown>)["command"]).toBeUndefined();
    },
  );

  test("what is no plain file is not opened", () => {
    mkdirSync(join(folder, ".mcp.json"));
    expect(readMcpJson(folder, true).problems[0]?.message).toMatch(/plain file/);
    rmSync(join(folder, ".mcp.json"), { recursive: true });
    execFileSync("mkfifo", [join(folder, ".mcp.json")]);
    expect(readMcpJson(folder, true).problems[0]?.message).toMatch(/plain file/);
    rmSync(join(folder, ".mcp.json"));
    symlinkSync("/dev/zero", join(folder, ".mcp.json"));
    expect(readMcpJson(folder, true).problems[0]?.message).toMatch(/plain file/);
  });

  test("cadre.yaml wins over it", () => {
    write({ mcpServers: { git: { command: "theirs" }, more: { command: "more" } } });
    writeFileSync(join(folder, "cadre.yaml"), "mcpServers: { git: { command: ours, env: [TOKEN] } }");
    const { mcpServers } = loadConfig({ folder, env: { CADRE_TRUST: "1" } });
    expect(mcpServers).toEqual({
      git: { command: "ours", env: { TOKEN: ["$", "{TOKEN}"].join("") } },
      more: { command: "more" },
    });
  });
});

test("[A52] in a folder that is not trusted nothing of it counts, whatever it says of itself", () => {
  write({ mcpServers: { evil: { command: "touch" } }, trust: true, enableAllProjectMcpServers: true });
  const { servers, problems } = readMcpJson(folder, false);
  expect(servers).toEqual({});
  expect(problems).toEqual([expect.objectContaining({ file: ".mcp.json", code: "UNTRUSTED" })]);
});
