import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../test/support/scratch.ts";
import { loadConfig } from "./config.ts";

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

test("a mistake in the hooks of cadre.yaml is reported with its position", () => {
  const misspelled = project({ "project/cadre.yaml": "hooks:\n  Stopp: []\n" });
  expect(misspelled(true).problems).toMatchObject([{ line: 2, suggestion: expect.stringContaining("Stop") }]);
  const wrong = project({ "project/cadre.yaml": "hooks:\n  Stop: [{ hooks: [] }]\n" });
  expect(() => wrong(true)).toThrow(/cadre\.yaml:2/);
});
