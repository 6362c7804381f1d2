import { join } from "node:path";
import { expect, test } from "vitest";
import { tempGit } from "../tools/git/temp-git.fixture.ts";
import { exists } from "../tools/git/worktree-records.ts";
import { worktreesOf } from "./worktrees.ts";

test("[D6] abandoned worktrees are removed even if the project is a subfolder of a larger repository", async () => {
  await using repository = await tempGit({ "packages/web/a.txt": "a\n" });
  const folder = join(repository.path, "packages/web");
  const worktrees = worktreesOf(folder);
  const planned = await worktrees.plan(folder, "c1");
  if (!("worktree" in planned)) throw new Error(planned.problem);
  await worktrees.open(planned.worktree);
  await repository.write({ "half.txt": "half\n" }, planned.workspace);

  await worktrees.sweep(async () => false);
  expect(await exists(planned.workspace), "its tree goes on").toBe(true);
  await worktrees.sweep(async () => true);
  expect(await exists(planned.worktree.path)).toBe(false);
  expect(await repository.git(["show", "cadre/c1:packages/web/half.txt"])).toBe("half");
});
