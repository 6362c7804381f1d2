import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { guardGitConfig } from "./git-config-guard.ts";
import { isMentionedIn } from "./protected-paths.ts";

describe("[A74] [30.8] an approval unlocks a protected file only if the command names it", () => {
  test.each([
    ["agents", "node check.js src/agents"],
    ["agents", "npm test -- packages/agents/x.test.ts"],
    ["agents", "git commit -m 'tell the agents apart'"],
    ["agents", 'echo "about agents" > notes.txt'],
    ["agents", "node build.js --out=dist/agents"],
    ["agents", "rm -r ../other/agents"],
    [".mcp.json", "cat templates/.mcp.json"],
    [".claude", "ls vendor/.claude/x"],
  ])("%s stays protected: %s", (name, command) => {
    expect(isMentionedIn(command, { name, path: `/w/${name}` })).toBe(false);
  });

  test.each([
    ["agents", "rm -r agents"],
    ["agents", "cp x ./agents/y.md"],
    ["agents", "cp x src/../agents/y.md"],
    ["agents", "tee /w/agents"],
    ["agents", "node x --out=agents/"],
    [".mcp.json", "echo x > .mcp.json"],
    [".mcp.json", "cp a '.mcp.json'"],
    [".git/hooks", "touch .git/hooks/pre-commit"],
  ])("%s is unlocked: %s", (name, command) => {
    expect(isMentionedIn(command, { name, path: `/w/${name}` })).toBe(true);
  });

  test.each([
    ["git commit -m 'read the config'", true],
    ["git commit -m config", true],
    ["node update-config.js", true],
    ["cat config", true],
    ["git log --grep=config", true],
    ["echo 'git config a b' | cat", true],
    ["git config core.pager x", false],
    ["git -C . config core.pager x", false],
    ["true && git config core.pager x", false],
    ["sed -i s/a/b/ .git/config", false],
  ])("after %s, the program setting is removed from the config again: %s", async (command, isTakenBack) => {
    const folder = mkdtempSync(join(tmpdir(), "cadre-guard-"));
    mkdirSync(join(folder, "kept"));
    const config = join(folder, "config");
    writeFileSync(config, "[core]\n\tbare = false\n");
    const putBack = await guardGitConfig(config, command);
    writeFileSync(config, "[core]\n\tbare = false\n\tpager = evil\n");
    expect(await putBack(join(folder, "kept"))).toEqual(isTakenBack ? ["core.pager"] : []);
  });
});
