import { join } from "node:path";
import { expect, test } from "vitest";
import { tempGit } from "../tools/git/temp-git.fixture.ts";
import { exists } from "../tools/git/worktree-records.ts";
import { worktreesOf } from "./worktrees.ts";

test("[26.8] with `merge: branch`, the work of every run stays on its branch, and the reason is named", async () => {
  await using repository = await tempGit();
  const worktrees = worktreesOf(repository.path, { merge: "branch" });
  const planned = await worktrees.plan(repository.path, "c1");
  if (!("worktree" in planned)) throw new Error(planned.problem);
  await worktrees.open(planned.worktree);
  await repository.write({ "a.txt": "A\n" }, planned.workspace);
  const work = { message: "work", keep: false, files: [], isInner: false };
  expect(await worktrees.close(planned.worktree, work)).toMatchObject({
    status: "kept",
    branch: "cadre/c1",
    files: ["a.txt"],
    detail: expect.stringContaining("Not merged: cadre.yaml keeps work on branches"),
  });
  expect(await repository.read("a.txt")).toBe("a\n");
  expect(await repository.git(["show", "cadre/c1:a.txt"])).toBe("A");
});

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

test("[26.8] work that nobody has approved is not merged, and neither is work that was added after the approval", async () => {
  await using repository = await tempGit();
  const worktrees = worktreesOf(repository.path, {});
  const planned = await worktrees.plan(repository.path, "c1");
  if (!("worktree" in planned)) throw new Error(planned.problem);
  const { worktree, workspace } = planned;
  await worktrees.open(worktree);
  await repository.write({ "a.txt": "A\n" }, workspace);
  const work = { message: "work", keep: false, files: [], isInner: false, stays: true };
  const review = await worktrees.review(worktree, work);
  expect(await worktrees.close(worktree, work)).toMatchObject({
    status: "kept",
    detail: expect.stringContaining("nobody has approved it"),
  });
  await repository.write({ "b.txt": "b\n" }, workspace);
  expect(await worktrees.close(worktree, { ...work, approved: review!.commit })).toMatchObject({
    status: "kept",
    detail: expect.stringContaining("it was changed after it was approved"),
  });
  expect(await repository.read("a.txt")).toBe("a\n");
  const again = await worktrees.review(worktree, work);
  expect(again!.files).toEqual(["a.txt", "b.txt"]);
  const merged = await worktrees.close(worktree, { ...work, approved: again!.commit, stays: false });
  expect(merged).toMatchObject({ status: "merged", files: ["a.txt", "b.txt"] });
});
