// Files that the configuration in force names are protected, whatever their names are (A37, A81, A90).

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../config/config.ts";
import { createJudge } from "../permissions/judge.ts";
import { inspectPath } from "../tools/files/workspace-path.ts";
import { readTool } from "../tools/read.ts";
import { writeTool } from "../tools/write.ts";
import { createNamedFiles } from "./named-files.ts";

function project(files: Record<string, string>, prepare?: (folder: string) => void) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cadre-named-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  prepare?.(folder);
  const config = loadConfig({ folder, env: { CADRE_TRUST: "1", XDG_CONFIG_HOME: folder } });
  const named = createNamedFiles(config);
  const judge = createJudge((name) => (name === "Write" ? writeTool : readTool));
  const verdict = (path: string) =>
    judge({
      ...{ tool: "Write", input: { path, content: "x" }, effect: "idempotent", now: 0, workspace: folder },
      ...{ gate: { ask: [], deny: [] }, ancestors: [], grants: [], inspectPath, isNamed: named.isNamed },
      authority: [{ source: "run", rules: { preset: "trusted", allow: ["Write"], ask: [], deny: [] } }],
    });
  return { folder, write, named, verdict };
}

const hook = (command: string) =>
  `hooks: { PreToolUse: [{ matcher: Bash, hooks: [{ command: ${JSON.stringify(command)} }] }] }\n`;

test.each([
  ["a script", "./scripts/check.sh", "scripts/check.sh"],
  ["a script that does not exist yet", "sh tools/later", "tools/later"],
  ["a quoted path from the project's folder", '"$CLAUDE_PROJECT_DIR"/guards/h.sh --fast', "guards/h.sh"],
  ["a path in braces", "node $" + "{CADRE_PROJECT_DIR}/guards/h.mjs", "guards/h.mjs"],
  ["a script after cd", "cd tools && ./x.sh", "tools/x.sh"],
  ["a glob", "cat rules/*.txt | sh", "rules/a.txt"],
  ["a module", "python3 -m pylib.check", "pylib/check.py"],
  ["a folder", "node tools", "tools/index.js"],
  ["another spelling", "./scripts/check.sh", "Scripts/./CHECK.sh"],
  ["a script that the script loads", "./scripts/check.sh", "lib/common.sh"],
  ["a module that a module loads", "node tools", "tools/parts/deep.js"],
  ["the scripts of npm", "npm run guard", "package.json"],
  ["a file that a script of npm runs", "npm run guard", "ci/guard.mjs"],
  ["a program of a package", "npx prettier --write a.ts", "node_modules/.bin/prettier"],
  ["a file of a package", "npx prettier --write a.ts", "node_modules/prettier/lib/deep.js"],
  ["a makefile", "make check", "Makefile"],
  ["the target of a link", "./linked.sh", "real/target.sh"],
])("[A37] [A81] a hook's %s is protected, even from the preset trusted", (_, command, path) => {
  const { verdict } = project(
    {
      "cadre.yaml": hook(command),
      "scripts/check.sh": '#!/bin/sh\n. "$(dirname "$0")/../lib/common.sh"\n',
      "lib/common.sh": "true\n",
      "pylib/check.py": "",
      "tools/index.js": 'require("./parts/deep");\n',
      "tools/parts/deep.js": "",
      "tools/x.sh": "",
      "rules/a.txt": "true\n",
      "real/target.sh": "",
      "ci/guard.mjs": "",
      "node_modules/.bin/prettier": "",
      "node_modules/prettier/index.js": "",
      "package.json": '{"scripts":{"guard":"node ci/guard.mjs"}}',
    },
    (folder) => symlinkSync("real/target.sh", join(folder, "linked.sh")),
  );
  expect(verdict(path)).toMatchObject({ verdict: "ask", protected: expect.any(String) });
  expect(verdict("src/other.ts").verdict).toBe("allow");
  expect(verdict("tools/data.json").verdict).toBe("allow");
});

test("[A37] if a configured script is changed and then loads another file, that file is protected too", () => {
  const { verdict, write } = project({ "cadre.yaml": hook("./a.sh"), "a.sh": "true\n", "b/c.sh": "" });
  expect(verdict("b/c.sh").verdict).toBe("allow");
  write("a.sh", "sh b/c.sh # longer\n");
  expect(verdict("b/c.sh").verdict).toBe("ask");
});

test("[A90] [30.11] while git cannot read its settings, every file is protected, and so are hooks of another repository", () => {
  const git = (folder: string, ...args: string[]) =>
    execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  const { folder, write, verdict, named } = project({ "cadre.yaml": "model: a/b\n" }, (at) => {
    git(at, "init", "-q");
    git(at, "config", "core.hooksPath", "gh");
  });
  expect([verdict("gh/pre-commit").verdict, verdict("src/a.ts").verdict]).toEqual(["ask", "allow"]);
  write(".git/config", "[core\n");
  expect([verdict("gh/pre-commit").verdict, verdict("src/a.ts").verdict]).toEqual(["ask", "ask"]);
  expect(named.list()).toEqual(["."]);
  // A `.git` that leads to another repository counts, although Cadre's own git does not use it.
  const other = project({ "cadre.yaml": "model: a/b\n" }, (at) =>
    git(at, "init", "-q", "--separate-git-dir", join(at, "repo")),
  );
  git(join(other.folder, "repo"), "config", "core.hooksPath", "gh");
  expect([other.verdict("gh/pre-commit").verdict, other.verdict("src/a.ts").verdict]).toEqual([
    "ask",
    "allow",
  ]);
  expect(folder).toBeTruthy();
});

test("[A37] [30.11] if the configuration names more files than are looked for, every file is protected", () => {
  const many = Array.from({ length: 5_001 }, (_, index) => `./s${index}.sh`);
  const { verdict, named } = project({ "cadre.yaml": hook("./all.sh"), "all.sh": many.join("\n") }, (at) => {
    for (const name of many) writeFileSync(join(at, name), "");
  });
  expect(verdict("src/a.ts")).toMatchObject({ verdict: "ask", protected: "src/a.ts" });
  expect(named.list()).toEqual(["."]);
});

test.each([
  ["the roles file", "conf/roles.json"],
  ["a prompt of a role", "conf/prompts/reviewer.txt"],
  ["a prompt that does not exist yet", "conf/prompts/later.txt"],
  ["an instruction file", "docs/house.md"],
  ["an import of an instruction file", "docs/more.md"],
  ["an import of an import", "docs/deep/most.md"],
  ["a missing import", "docs/missing.md"],
  ["a program of a local MCP server", "mc/server.js"],
  ["a file that the server loads", "mc/lib.js"],
  ["a program that restarts a service", "ops/restart.sh"],
])("[A37] %s that cadre.yaml names is protected", (_, path) => {
  const { verdict } = project({
    "cadre.yaml": [
      "roles: conf/roles.json",
      "instructions: [docs/house.md, AGENTS.md]",
      "mcpServers: { m: { command: node, args: [mc/server.js] } }",
      "services: { web: { restart: [sh, ./ops/restart.sh] } }",
      "",
    ].join("\n"),
    "conf/roles.json": JSON.stringify({
      Roles: [
        { Name: "a", SystemPromptFile: "prompts/reviewer.txt" },
        { Name: "b", SystemPromptFile: "prompts/later.txt" },
      ],
    }),
    "conf/prompts/reviewer.txt": "Review.",
    "docs/house.md": "See @more.md and @missing.md",
    "docs/more.md": "See @deep/most.md",
    "docs/deep/most.md": "Be nice.",
    "mc/server.js": 'const lib = require("./lib");\n',
    "mc/lib.js": "",
    "ops/restart.sh": "",
  });
  expect(verdict(path)).toMatchObject({ verdict: "ask", protected: expect.any(String) });
  expect(verdict("docs/other.md").verdict).toBe("allow");
});

test("[A37] imports of AGENTS.md are protected without any configuration", () => {
  const { verdict } = project({ "AGENTS.md": "Read @docs/style.md first.", "docs/style.md": "x" });
  expect(verdict("docs/style.md").verdict).toBe("ask");
});

test.each([
  ["core.hooksPath", "gh", "gh/pre-commit"],
  ["core.hooksPath", ".", "pre-commit"],
  ["include.path", "../inc.cfg", "inc.cfg"],
  ["includeIf.onbranch:main.path", "../cond.cfg", "cond.cfg"],
  ["filter.x.clean", "sh tools/clean.sh %f", "tools/clean.sh"],
  ["filter.x.process", "./later-filter", "later-filter"],
  ["core.fsmonitor", "./mon.sh", "mon.sh"],
  ["diff.d.textconv", "tools/text.sh", "tools/text.sh"],
  ["merge.m.driver", "tools/merge.sh %A", "tools/merge.sh"],
  ["alias.go", "!sh tools/alias.sh", "tools/alias.sh"],
  ["credential.helper", "!./cred.sh", "cred.sh"],
])("[A90] a file that git's %s=%s names is protected", (key, value, path) => {
  const { verdict } = project({ "tools/clean.sh": "", "tools/text.sh": "", "a.txt": "" }, (folder) => {
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: folder });
    execFileSync("git", ["config", key, value], { cwd: folder });
  });
  expect(verdict(path)).toMatchObject({ verdict: "ask", protected: expect.any(String) });
  expect(verdict("a.txt").verdict).toBe("allow");
});

test("[A90] a script that git's hook runs, and a setting of an included file, are protected", () => {
  const { verdict } = project(
    { "inc.cfg": "[core]\n  fsmonitor = ./mon.sh\n", "ci/lint.sh": "", ".git-not/x": "" },
    (folder) => {
      execFileSync("git", ["init", "-q"], { cwd: folder });
      execFileSync("git", ["config", "include.path", "../inc.cfg"], { cwd: folder });
      mkdirSync(join(folder, ".git/hooks"), { recursive: true });
      writeFileSync(join(folder, ".git/hooks/pre-push"), "#!/bin/sh\nexec ci/lint.sh\n");
    },
  );
  expect(verdict("mon.sh").verdict).toBe("ask");
  expect(verdict("ci/lint.sh").verdict).toBe("ask");
});
