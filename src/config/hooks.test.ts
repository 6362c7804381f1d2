import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../test/support/scratch.ts";
import { hooksOfClaude } from "./claude-hooks.ts";
import type { ClaudeSettings } from "./claude-settings.ts";
import { loadConfig } from "./config.ts";
import type { Data } from "./yaml.ts";

function project(files: Record<string, string>) {
  const folder = scratchFolder("cadre-hooks-");
  mkdirSync(join(folder, "project", ".claude"), { recursive: true });
  mkdirSync(join(folder, "home", ".claude"), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return (trusted: boolean) =>
    loadConfig({
      folder: join(folder, "project"),
      env: { HOME: join(folder, "home"), ...(trusted ? { CADRE_TRUST: "1" } : {}) },
    });
}

const settings = (hooks: object, more: object = {}): string => JSON.stringify({ ...more, hooks });
const run = (command: string) => [{ hooks: [{ type: "command", command }] }];

test("[HK1] a project's hooks need a trusted folder; the user's own hooks do not", () => {
  const load = project({
    "project/cadre.yaml": "hooks: { Stop: [{ hooks: [{ command: ours }] }] }\n",
    "project/.claude/settings.json": settings({ Stop: run("theirs") }),
    "home/.claude/settings.json": settings({ Stop: run("mine") }),
  });
  expect(load(true).hooks.map(({ command }) => command)).toEqual(["ours", "mine", "theirs"]);
  const untrusted = load(false);
  expect(untrusted.hooks.map(({ command }) => command)).toEqual(["mine"]);
  expect(untrusted.ignoredSettings.map(({ path, problem }) => [problem.file, path])).toEqual([
    ["cadre.yaml", "hooks"],
    [".claude/settings.json", "hooks"],
  ]);
});

test("Claude Code's hooks keep their matcher and time limit; hooks that Cadre cannot run are reported", () => {
  const load = project({
    "project/.claude/settings.json": settings({
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: "check", timeout: 5 }, { type: "prompt" }] },
      ],
      Notification: run("beep"),
    }),
  });
  const { hooks, problems } = load(true);
  expect(hooks).toMatchObject([{ event: "PreToolUse", matcher: "Bash", command: "check", seconds: 5 }]);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining("`hooks.PreToolUse`"),
    expect.stringContaining("`hooks.Notification`"),
  ]);
});

test("`disableAllHooks` of Claude Code turns its hooks off", () => {
  const load = project({
    "project/.claude/settings.json": settings({ Stop: run("theirs") }, { disableAllHooks: true }),
  });
  expect(load(true).hooks).toEqual([]);
});

test("[25.5] [HK1] a folder that is not trusted cannot switch off the user's own hooks", () => {
  const load = project({
    "project/.claude/settings.json": JSON.stringify({ disableAllHooks: true }),
    "home/.claude/settings.json": settings({ PreToolUse: run("guard") }),
  });
  expect(load(false).hooks).toMatchObject([{ command: "guard" }]);
  expect(load(true).hooks).toEqual([]);
});

test("[25.5] only a managed file can switch off managed hooks", () => {
  const file = (scope: ClaudeSettings["scope"], data: Record<string, Data>): ClaudeSettings => ({
    ...{ file: scope, scope, data, at: () => ({ line: 1, column: 1 }) },
  });
  const hooks = { Stop: run("guard") } as unknown as Data;
  const commands = (...files: ClaudeSettings[]) =>
    hooksOfClaude(files, true).hooks.map(({ command }) => command);
  expect(commands(file("managed", { hooks }), file("user", { disableAllHooks: true, hooks }))).toEqual([
    "guard",
  ]);
  expect(commands(file("managed", { hooks, disableAllHooks: true }), file("user", { hooks }))).toEqual([]);
});

test("a mistake in the hooks of cadre.yaml is reported with its position", () => {
  const misspelled = project({ "project/cadre.yaml": "hooks:\n  Stopp: []\n" });
  expect(misspelled(true).problems).toMatchObject([{ line: 2, suggestion: expect.stringContaining("Stop") }]);
  const wrong = project({ "project/cadre.yaml": "hooks:\n  Stop: [{ hooks: [] }]\n" });
  expect(() => wrong(true)).toThrow(/cadre\.yaml:2/);
});
