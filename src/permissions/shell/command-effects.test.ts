import { describe, expect, test } from "vitest";
import { createShellJudge } from "./command-effects.ts";

const judge = createShellJudge({});
const afterCrash = (command: string, effects = {}) => createShellJudge(effects)(command).afterCrash;

describe("[25.12] common test runners, compilers and linters may run again after a crash", () => {
  test.each([
    "npm test",
    "npm run build",
    "npm test -- --coverage -t parser",
    "npm test 2>&1 | tail -20",
    "npx vitest run src/a.test.ts",
    "npx --no-install jest --ci src",
    "cd packages/a && npm test && git status",
    "timeout 600 pytest -x tests/unit",
    "python3 -m pytest -k login",
    "go test -race ./...",
    "cargo clippy --all-targets -- -D warnings",
    "cargo test parser",
    "tsc --noEmit -p tsconfig.json",
    "npx eslint --fix src",
    "biome check --write src",
    "make test",
  ])("%s", (command) => {
    expect(judge(command)).toMatchObject({ readOnly: false, afterCrash: "idempotent" });
  });
});

describe("[25.12] every other command that might change something waits for a person", () => {
  test.each([
    ["another command follows", "npm test; curl -X POST http://localhost/pay"],
    ["another command follows a line break", "npm test\nnpm publish"],
    ["another command runs in the background", "npm publish & npm test"],
    ["another command in the pipeline changes something", "npm test | tee log"],
    ["the output goes into a shell", "npm test | sh"],
    ["the runner gets input", "echo x | npm test"],
    ["a substitution", "npm test $(npm publish)"],
    ["a substitution in quotes", 'npm test "`npm publish`"'],
    ["a variable", "npm test $MORE"],
    ["a variable is set for it", "NODE_OPTIONS=--require=./x.js npm test"],
    ["its output is written to a file", "npm test > /tmp/out"],
    ["its output is appended to a file", "npm test >> out"],
    ["a subshell", "(npm test)"],
    ["a folder outside", "cd / && npm test"],
    ["a folder above", "cd .. && npm test"],
    ["a path outside", "pytest /srv/tests"],
    ["a flag that names a program", "go test -exec ./deploy ./..."],
    ["a flag that names a plugin", "pytest -p deploy"],
    ["a flag that names a file outside", "tsc --outDir /srv"],
    ["a flag with a config", "cargo test --config build.rustc-wrapper=./x"],
    ["a variable of make", "make test SHELL=./x"],
    ["another target", "make deploy"],
    ["another script", "npm run deploy"],
    ["another program", "npx deploy"],
    ["a program of the same name in a folder", "./npm test"],
    ["a shell", "bash -c 'npm test'"],
    ["watching", "npx vitest"],
    ["the name of a JavaScript property", "constructor test"],
  ])("%s: %s", (_, command) => {
    expect(judge(command).afterCrash).toBeUndefined();
  });
});

test("[25.12] a project can give classes to its own commands, and take classes away from other commands", () => {
  const effects = {
    "Bash(npm run e2e *)": "read",
    "Bash(npm run e2e -- --record)": "unsafe",
    "Bash(npm test)": "unsafe",
    "Bash(./sync.sh)": "idempotent",
  };
  expect(afterCrash("npm run e2e -- --headed", effects)).toBe("read");
  expect(afterCrash("npm run e2e -- --record", effects)).toBeUndefined();
  expect(afterCrash("npm test", effects)).toBeUndefined();
  expect(afterCrash("npm run e2e && ./sync.sh", effects)).toBe("idempotent");
  expect(afterCrash("npm run e2e && npm publish", effects)).toBeUndefined();
  expect(afterCrash("npm run e2e > log", effects)).toBeUndefined();
});

test("a read-only command needs no class", () => {
  expect(judge("git status")).toMatchObject({ readOnly: true });
  expect(judge("git status")).not.toHaveProperty("afterCrash");
});
