// Tests the git tools on real repositories: what they show, what the rules hide, and that nothing of the repository runs.

import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setUpEmptyHome, tempGit } from "./git/temp-git.fixture.ts";
import { gitTools } from "./git-tools.ts";
import type { ToolContext } from "./tool.ts";

setUpEmptyHome();

function toolsIn(workspace: string, changes: Partial<ToolContext> = {}) {
  const context: ToolContext = {
    ...{ workspace, runId: "r1", callId: "m1.0", attempt: 1, key: "r1:m1.0" },
    nonce: () => "n0nce",
    signal: new AbortController().signal,
    ...changes,
  };
  const named = (name: string) => gitTools.find((tool) => tool.name === `mcp__git__${name}`)!;
  return {
    async call(name: string, input: object = {}) {
      const { output, isError } = await named(name).execute(named(name).input.parse(input), context);
      return isError ? `refused: ${String(output)}` : String(output);
    },
    preview: async (input: object) => (await named("commit").preview!(input, context)).text,
  };
}

test("[28.7] an agent sees what changed, commits it on a branch of its own, and finds the commit in the log", async () => {
  await using repository = await tempGit({ "a.txt": "old\n", "b.txt": "b\n" });
  const { call, preview } = toolsIn(repository.path);
  expect(await call("status")).toBe("On branch main\nNothing has changed.");
  await repository.write({ "a.txt": "new\n", "b.txt": "left alone\n", "sub/c.txt": "c\n" });
  expect(await call("status")).toBe("On branch main\n M a.txt\n M b.txt\n?? sub/c.txt");
  expect(await call("status", { path: "sub" })).toBe("On branch main\n?? sub/c.txt");
  expect(await call("diff", { path: "a.txt" })).toMatch(/^-old\n\+new$/m);

  expect(await call("branch", { name: "work/one" })).toBe("On branch work/one");
  expect(await call("branch", { name: "work/one" })).toBe("On branch work/one");
  const input = { message: "Change a", paths: ["a.txt", "sub"] };
  expect(await preview(input)).toBe("Change a\n\na.txt\nsub/c.txt");
  expect(await call("commit", input)).toMatch(/^\w+ Change a\n/);
  expect(await call("status")).toBe("On branch work/one\n M b.txt");
  expect(await call("log", { max: 1 })).toMatch(/^\w+ \S+ Cadre\n {4}Change a$/m);
  expect(await call("diff", { from: "main", to: "work/one" })).toContain("+new");
});

test("[28.7] [30.7] no git tool shows a file that the rules hide, under its old name, by a revision or behind a folder", async () => {
  await using repository = await tempGit({ "a.txt": "a\n", "keys/.env": "KEY=1\n" });
  await repository.write({ "a.txt": "b\n", "keys/.env": "KEY=2\n" });
  const mayShow = (path: string) => !path.endsWith(".env");
  const { call } = toolsIn(repository.path, { mayShow });
  const all = [{}, { path: "keys" }, { from: "HEAD" }];
  for (const input of all) {
    const shown = await call("diff", input);
    expect(shown).not.toContain("KEY");
    expect(shown).toContain("(some are not shown: a rule does not allow it)");
  }
  expect(await call("diff")).toContain("+b");
  expect(await call("status")).not.toContain(".env");
  expect(await call("diff", { from: "HEAD:keys/.env" })).toMatch(/^refused: there is no commit/);
  await repository.git(["mv", "keys/.env", "plain.txt"]);
  await repository.git(["commit", "-qm", "move"]);
  expect(await call("diff", { from: "HEAD~1", to: "HEAD" })).not.toContain("-KEY");
});

test("[28.7] the git tools show nothing outside the workspace, and take no flag for a revision or a path", async () => {
  await using repository = await tempGit({ "secret.txt": "s\n", "in/a.txt": "a\n" });
  await repository.write({ "secret.txt": "SECRET\n", "in/a.txt": "b\n" });
  const { call } = toolsIn(join(repository.path, "in"));
  expect(await call("diff")).not.toContain("SECRET");
  expect(await call("diff")).toContain("+b");
  expect(await call("status")).toBe("On branch main\n M a.txt");
  expect(await call("diff", { path: "../secret.txt" })).toMatch(/^refused: .* outside the workspace/);
  await expect(call("diff", { from: "--output=x" })).rejects.toThrow();
  expect(await call("branch", { name: "-D" })).toMatch(/^refused: /);
  expect(await call("commit", { message: "m", paths: ["../secret.txt"] })).toMatch(/^refused: /);
});

test("[28.7] [A30] no hook runs, and a repository whose settings start programs is refused", async () => {
  await using repository = await tempGit();
  const hook = join(repository.path, ".git/hooks/pre-commit");
  await mkdir(join(repository.path, ".git/hooks"), { recursive: true });
  await writeFile(hook, "#!/bin/sh\nexit 1\n");
  await chmod(hook, 0o755);
  await repository.write({ "a.txt": "b\n" });
  const { call } = toolsIn(repository.path);
  expect(await call("commit", { message: "m", paths: ["a.txt"] })).toContain("a.txt");
  await repository.git(["config", "diff.external", "touch ran"]);
  for (const name of ["status", "diff", "log"])
    expect(await call(name)).toMatch(/^refused: .*diff\.external/);
  expect(await repository.read("ran")).toBeUndefined();
});
