import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readClaudeSettings } from "./claude-settings.ts";

let base: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "cadre-claude-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(path: string, text: string) {
  await mkdir(dirname(join(base, path)), { recursive: true });
  await writeFile(join(base, path), text);
}

const read = () =>
  readClaudeSettings(join(base, "project"), { HOME: join(base, "home") }, join(base, "managed"));

it("the user's, the project's and the local settings are read, with positions", async () => {
  await put("home/.claude/settings.json", `{"permissions":{"deny":["WebFetch"]}}`);
  await put(
    "project/.claude/settings.json",
    `{\n\t"permissions": {\n\t\t"deny": [\n\t\t\t"Read(.env)"\n\t\t]\n\t}\n}`,
  );
  await put("project/.claude/settings.local.json", `\uFEFF{"model":"opus"}`);
  const found = read();
  expect(found.map(({ file, scope }) => [file, scope])).toEqual([
    ["~/.claude/settings.json", "user"],
    [".claude/settings.json", "project"],
    [".claude/settings.local.json", "project"],
  ]);
  expect(found[1]!.at(["permissions", "deny", 0])).toEqual({ line: 4, column: 4 });
  expect(found[2]!.data).toEqual({ model: "opus" });
});

it("[25.4] managed settings files come first, and an invalid managed file stops the start", async () => {
  await put("managed/managed-settings.json", `{"permissions":{"deny":["Read(./.env)"]}}`);
  await put("managed/managed-settings.d/20-b.json", `{}`);
  await put("managed/managed-settings.d/10-a.json", `{}`);
  await put("managed/managed-settings.d/notes.txt", "not settings");
  await put("home/.claude/settings.json", `{}`);
  const names = read().map(({ file, scope }) => [file.replace(base, ""), scope]);
  expect(names).toEqual([
    ["/managed/managed-settings.json", "managed"],
    ["/managed/managed-settings.d/10-a.json", "managed"],
    ["/managed/managed-settings.d/20-b.json", "managed"],
    ["~/.claude/settings.json", "user"],
  ]);
  await put("managed/managed-settings.d/20-b.json", `{`);
  expect(read).toThrow("20-b.json:1:");
});

it("without settings files, nothing is read", async () => {
  expect(read()).toEqual([]);
});

it.each([
  [
    "a comment",
    `{\n  // ours\n  "permissions": {"deny": ["Bash"]}\n}`,
    ".claude/settings.json:2:3 is no valid JSON",
  ],
  ["an open bracket", `{"permissions": {`, ".claude/settings.json:1:"],
  [
    "the same key twice",
    `{"permissions": {"deny": ["Bash"]}, "permissions": {}}`,
    ".claude/settings.json:1:37",
  ],
  ["a list", `[]`, "must be a JSON object"],
])("a settings file with %s is refused, because its deny rules would be lost", async (_, text, message) => {
  await put("project/.claude/settings.json", text);
  expect(read).toThrow(message);
  expect(read).toThrow("deny rules would be lost");
});
