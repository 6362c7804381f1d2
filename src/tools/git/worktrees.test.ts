import { mkdir, mkdtemp, readdir, rm, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { setUpEmptyHome, type TempGit, tempGit } from "./temp-git.fixture.ts";
import {
  closeWorktree,
  headOf,
  openWorktree,
  sweepWorktrees,
  type Worktree,
  worktreeOf,
  worktreeProblem,
} from "./worktrees.ts";

const message = "what the child did";
const home = setUpEmptyHome();

describe.concurrent("[D6] worktreeProblem and headOf", () => {
  test("worktreeProblem explains why a folder cannot have worktrees", async () => {
    await using repository = await tempGit();
    expect(await worktreeProblem(repository.path)).toBe(undefined);
    expect(await worktreeProblem(home.path)).toMatch(/not a git repository.*git init/s);
    expect(await worktreeProblem(join(home.path, "nowhere"))).toMatch(/cannot change to/);
    await repository.write({ "scratch/b.txt": "b" });
    expect(await worktreeProblem(join(repository.path, "scratch"))).toMatch(
      /^Nothing in .*scratch is committed/,
    );
    await repository.git(["init", "-q", "fresh"]);
    expect(await worktreeProblem(join(repository.path, "fresh"))).toMatch(/has no commit yet/);
    await expect(headOf(home.path)).rejects.toThrow(/not a git repository/);
  });

  test("headOf returns the workspace's path relative to the top folder of the repository", async () => {
    await using repository = await tempGit({ "packages/ü x/a.txt": "a\n" });
    const head = await repository.git(["rev-parse", "HEAD"]);
    expect(await headOf(join(repository.path, "packages/ü x"))).toEqual({
      top: repository.path,
      base: head,
      folder: "packages/ü x",
    });
    expect((await headOf(repository.path)).folder).toBe("");
  });
});

describe.concurrent("[D6] a child's work is merged back", () => {
  test("committed, changed, new and deleted files are merged; ignored files and .cadre are not", async () => {
    await using repository = await tempGit({
      "a.txt": "a\n",
      "b.txt": "b\n",
      ".gitignore": "*.log\n",
    });
    const child = await openChild(repository);
    await repository.commit({ "own.txt": "its own commit\n" }, child.path);
    await repository.write({ "a.txt": "A\n", "new.txt": "new\n", "x.log": "noise\n" }, child.path);
    await unlink(join(child.path, "b.txt"));
    await repository.git(["add", "new.txt"], child.path);

    const merged = await closeWorktree(child, { message });
    const files = ["a.txt", "b.txt", "new.txt", "own.txt"];
    expect(merged).toEqual({ status: "merged", commit: await head(repository), files });
    expect(await repository.read("a.txt")).toBe("A\n");
    expect(await repository.read("own.txt")).toBe("its own commit\n");
    expect(await repository.read("b.txt")).toBe(undefined);
    expect(await repository.read("x.log")).toBe(undefined);
    expect(await repository.git(["status", "--porcelain"])).toBe("");
    expect(await repository.git(["log", "-1", "--format=%an <%ae> %cn %s", "HEAD^2"])).toBe(
      `Cadre <cadre@localhost> Cadre ${message}`,
    );
    expect(await repository.git(["log", "-1", "--format=%an", "HEAD^2^"])).toBe("P");
    await expectGone(repository, child);
    expect(await closeWorktree(child, { message })).toEqual(merged);
  });

  test("[26.8] commits are made in the person's name, with Cadre as the co-author", async () => {
    await using repository = await tempGit();
    await repository.git(["config", "user.name", "Ann"]);
    await repository.git(["config", "user.email", "ann@example.org"]);
    const child = await openChild(repository);
    await repository.write({ "a.txt": "A\n" }, child.path);
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged" });
    for (const commit of ["HEAD", "HEAD^2"])
      expect(
        await repository.git([
          "log",
          "-1",
          "--format=%an <%ae> %cn %(trailers:key=Co-authored-by,valueonly)",
          commit,
        ]),
      ).toBe("Ann <ann@example.org> Ann Cadre <cadre@localhost>\n");
  });

  test("closing an unchanged worktree leaves no commit, branch or folder; closing it again does no harm", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await openWorktree(child);
    expect(await closeWorktree(child, { message })).toEqual({ status: "unchanged" });
    expect(await head(repository)).toBe(child.base);
    await expectGone(repository, child);
    expect(await closeWorktree(child, { message })).toEqual({ status: "unchanged" });
  });

  test("unusual file names and commit messages survive the merge", async () => {
    const names = ["with space", "ü–é", "-rf", ":(top)x", "new\nline", 'quo"te', "d/*.txt"];
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.write(Object.fromEntries(names.map((name) => [name, `${name}\n`])), child.path);
    const merged = await closeWorktree(child, { message: "# --all\n-m" });
    expect(merged).toMatchObject({ status: "merged", files: expect.arrayContaining(names) });
    expect(await repository.git(["log", "-1", "--format=%B", "HEAD^2"])).toBe("# --all\n-m");
    for (const name of names) expect(await repository.read(name)).toBe(`${name}\n`);
  });

  test("the list of merged files is complete even if it is longer than one output buffer", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    const folder = Array.from({ length: 14 }, () => "long".repeat(60)).join("/");
    const names = Array.from({ length: 330 }, (_, at) => `${folder}/${at}`);
    await mkdir(join(child.path, folder), { recursive: true });
    await Promise.all(names.map((name) => writeFile(join(child.path, name), "")));
    const merged = await closeWorktree(child, { message });
    expect(merged).toMatchObject({ status: "merged", files: names.toSorted() });
  });

  test("the parent keeps its own changes, staged or not", async () => {
    await using repository = await tempGit({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    const child = await openChild(repository);
    await repository.write({ "a.txt": "A\n" }, child.path);
    await repository.write({ "b.txt": "mine\n", "c.txt": "staged\n", "new.txt": "untracked\n" });
    await repository.git(["add", "c.txt"]);
    const status = await repository.git(["status", "--porcelain"]);
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged", files: ["a.txt"] });
    expect(await repository.git(["status", "--porcelain"])).toBe(status);
    expect(await repository.read("b.txt")).toBe("mine\n");
  });

  test("a child's work is merged into a detached HEAD", async () => {
    await using repository = await tempGit();
    await repository.git(["checkout", "-q", "--detach"]);
    const child = await openChild(repository);
    await repository.write({ "new.txt": "new\n" }, child.path);
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged" });
    expect(await repository.read("new.txt")).toBe("new\n");
    expect(await repository.git(["rev-parse", "main"])).toBe(child.base);
  });

  test("hooks, commit signing and merge settings of the repository do not affect the merge", async () => {
    await using repository = await tempGit();
    await mkdir(join(repository.path, ".git/hooks"));
    const hooks = ["pre-commit", "post-checkout", "post-merge", "reference-transaction", "post-commit"];
    for (const hook of hooks)
      await writeFile(
        join(repository.path, ".git/hooks", hook),
        `#!/bin/sh\ntouch "${home.path}/ran"\nexit 1\n`,
        {
          mode: 0o755,
        },
      );
    for (const setting of [
      "commit.gpgsign true",
      "gpg.program false",
      "merge.ff false",
      "merge.autoStash true",
    ])
      await repository.git(["-c", "core.hooksPath=/dev/null", "config", ...setting.split(" ")]);
    const child = await openChild(repository);
    await repository.write({ "new.txt": "new\n" }, child.path);
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged" });
    await expect(stat(join(home.path, "ran"))).rejects.toThrow();
  });

  test("a grandchild's work is merged into the child's worktree, and from there into the root's folder", async () => {
    await using repository = await tempGit();
    const outer = await openChild(repository, "c1");
    const inner = await openChild(repository, "c2", outer.path);
    expect(inner).toMatchObject({ parent: outer.path, path: join(outer.path, ".cadre/worktrees/c2") });
    await repository.write({ "inner.txt": "inner\n" }, inner.path);
    await repository.write({ "outer.txt": "outer\n" }, outer.path);
    expect(await closeWorktree(inner, { message })).toMatchObject({ status: "merged", files: ["inner.txt"] });
    expect(await repository.read("inner.txt")).toBe(undefined);
    const merged = await closeWorktree(outer, { message });
    expect(merged).toMatchObject({ status: "merged", files: ["inner.txt", "outer.txt"] });
    await expectGone(repository, outer);
  });

  test("a worktree that contains another worktree is merged, but its folder is not deleted", async () => {
    await using repository = await tempGit();
    const outer = await openChild(repository, "c1");
    const inner = await openChild(repository, "c2", outer.path);
    await repository.write({ "inner.txt": "not committed\n" }, inner.path);
    await repository.write({ "outer.txt": "outer\n" }, outer.path);
    await unlink(join(outer.path, ".cadre/.gitignore"));
    expect(await closeWorktree(outer, { message })).toMatchObject({ status: "merged", files: ["outer.txt"] });
    expect(await repository.read("inner.txt", inner.path)).toBe("not committed\n");
  });

  test("concurrent merges into one parent all succeed, even if one child is closed twice", async () => {
    await using repository = await tempGit();
    const children = await Promise.all(["c1", "c2", "c3"].map((id) => openChild(repository, id)));
    await Promise.all(children.map(({ path, branch }) => repository.write({ [branch]: "x\n" }, path)));
    const closing = [...children, children[0]!].map((child) => closeWorktree(child, { message }));
    const merged = await Promise.all(closing);
    expect(merged.map(({ status }) => status)).toEqual(["merged", "merged", "merged", "merged"]);
    expect(merged[3]).toEqual(merged[0]);
    expect(await readdir(join(repository.path, "cadre"))).toEqual(["c1", "c2", "c3"]);
  });
});

describe.concurrent("[D6] work that cannot be merged stays on its branch, and the parent is unchanged", () => {
  test("conflicting work of a child stays on the child's branch, and the parent's uncommitted changes are kept", async () => {
    await using repository = await tempGit({ "a.txt": "a\n", "b.txt": "b\n", "c ü.txt": "c\n" });
    const [first, second] = [await openChild(repository, "c1"), await openChild(repository, "c2")];
    await repository.write({ "a.txt": "first\n" }, first.path);
    await repository.write({ "a.txt": "second\n", "b.txt": "B\n" }, second.path);
    expect(await closeWorktree(first, { message })).toMatchObject({ status: "merged" });
    await repository.write({ "c ü.txt": "mine\n", "new.txt": "mine\n" });
    const now = await parentState(repository);

    const answer = await closeWorktree(second, { message });
    expect(answer).toEqual({
      status: "conflict",
      branch: "cadre/c2",
      files: ["a.txt"],
      detail: `Changed on both sides: a.txt. ${repository.path} is as it was. Its work is on the branch cadre/c2: look at it, then \`git merge cadre/c2\`.`,
    });
    expect(await parentState(repository)).toEqual(now);
    expect(await repository.git(["show", "cadre/c2:a.txt"])).toBe("second");
    expect(await closeWorktree(second, { message })).toEqual(answer);
    await expect(stat(second.path)).rejects.toThrow();
  });

  test("work stays on its branch if it would overwrite a changed, untracked or ignored file of the parent", async () => {
    await using repository = await tempGit({ "a.txt": "a\n", ".gitignore": "ignored.txt\n" });
    const child = await openChild(repository);
    const files = ["a.txt", "ignored.txt", "new.txt"];
    await repository.write(Object.fromEntries(files.map((name) => [name, "child\n"])), child.path);
    await repository.git(["add", "-f", "ignored.txt"], child.path);
    await repository.git(["config", "merge.autoStash", "true"]);
    for (const name of files) {
      await repository.write({ [name]: "mine\n" });
      const now = await parentState(repository);
      const detail = expect.stringContaining(`that are not committed are in the way: ${name}. `);
      const answer = await closeWorktree(child, { message });
      expect(answer).toEqual({ status: "kept", branch: "cadre/c1", files, detail });
      expect(await parentState(repository)).toEqual(now);
      await unlink(join(repository.path, name));
      if (name === "a.txt") await repository.git(["checkout", "a.txt"]);
    }
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged", files });
  });

  test("work stays on its branch if the parent is in the middle of a merge", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.write({ "new.txt": "new\n" }, child.path);
    await repository.git(["checkout", "-q", "-b", "other"]);
    await repository.commit({ "a.txt": "other\n" });
    await repository.git(["checkout", "-q", "main"]);
    await repository.commit({ "a.txt": "main\n" });
    await expect(repository.git(["merge", "other"])).rejects.toThrow();
    const answer = await closeWorktree(child, { message });
    expect(answer).toMatchObject({
      status: "kept",
      detail: expect.stringMatching(/in the middle of a merge/),
    });
    await repository.git(["merge", "--abort"]);
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged", files: ["new.txt"] });
  });

  test("the work of a failed child stays on its branch if the caller requests it", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.write({ "new.txt": "new\n" }, child.path);
    const answer = await closeWorktree(child, { message, keep: true });
    expect(answer).toMatchObject({ status: "kept", branch: "cadre/c1", files: ["new.txt"] });
    expect(await closeWorktree(child, { message, keep: true })).toEqual(answer);
    expect(await head(repository)).toBe(child.base);
    await expect(stat(child.path)).rejects.toThrow();
    const idle = await openChild(repository, "c2");
    expect(await closeWorktree(idle, { message, keep: true })).toEqual({ status: "unchanged" });
  });

  test("a child's work that contains conflict markers stays on its branch", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.write({ "a.txt": "stashed\n" }, child.path);
    await repository.git(["stash", "-q"], child.path);
    await repository.commit({ "a.txt": "committed\n" }, child.path);
    await expect(repository.git(["stash", "pop"], child.path)).rejects.toThrow();
    const answer = await closeWorktree(child, { message });
    expect(answer).toMatchObject({ status: "kept", detail: expect.stringMatching(/conflicts of its own/) });
    expect(await repository.git(["show", "cadre/c1:a.txt"])).toMatch(/<<<<<<<.*stashed/s);
    expect(await closeWorktree(child, { message })).toEqual(answer);
    expect(await repository.read("a.txt")).toBe("a\n");
  });

  test("if the child's folder contains other repositories, the child's work stays on its branch and the folder is kept", async () => {
    await using repository = await tempGit();
    await using library = await tempGit({ "lib.txt": "lib\n" });
    const add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.path, "lib"];
    await repository.git(add);
    await repository.commit();
    const idle = await openChild(repository, "c1");
    await repository.write({ "new.txt": "new\n" }, idle.path);
    expect(await closeWorktree(idle, { message })).toMatchObject({ status: "merged", files: ["new.txt"] });

    const child = await openChild(repository, "c2");
    await repository.git(["init", "-q", "empty"], child.path);
    await repository.write({ "empty/x.txt": "x\n", "lib/y.txt": "y\n", "z.txt": "z\n" }, child.path);
    const answer = await closeWorktree(child, { message });
    const detail = expect.stringContaining(`${child.path} holds other git repositories (empty, lib)`);
    expect(answer).toMatchObject({ status: "kept", files: ["z.txt"], detail });
    expect(await closeWorktree(child, { message })).toEqual(answer);
    expect(await repository.read("empty/x.txt", child.path)).toBe("x\n");
    expect(await repository.read("lib/y.txt", child.path)).toBe("y\n");
  });
});

describe.concurrent("[D6] a child that changed the git state of its worktree", () => {
  test.each([
    ["a branch of its own", ["checkout", "-q", "-b", "feature"]],
    ["a detached HEAD", ["checkout", "-q", "--detach"]],
  ])("commits that a child made on %s are merged", async (_, args) => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.git(args, child.path);
    await repository.commit({ "own.txt": "own\n" }, child.path);
    await repository.write({ "new.txt": "new\n" }, child.path);
    const merged = await closeWorktree(child, { message });
    expect(merged).toMatchObject({ status: "merged", files: ["new.txt", "own.txt"] });
  });

  test("a child's commits are merged even if the child ended with an older commit checked out", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.commit({ "own.txt": "own\n" }, child.path);
    await repository.git(["checkout", "-q", child.base], child.path);
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged", files: ["own.txt"] });
    await expectGone(repository, child);
  });

  test("if a child left two diverging lines of commits, both stay on the branch for a person to review", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.commit({ "one.txt": "one\n" }, child.path);
    await repository.git(["checkout", "-q", child.base], child.path);
    await repository.commit({ "two.txt": "two\n" }, child.path);
    await repository.write({ "three.txt": "three\n" }, child.path);
    const answer = await closeWorktree(child, { message });
    expect(answer).toMatchObject({ status: "kept", detail: expect.stringMatching(/left its branch/) });
    expect(await repository.git(["show", "cadre/c1:three.txt"])).toBe("three");
    expect(
      await repository.git(["log", "--format=", "--name-only", "--diff-merges=off", "cadre/c1"]),
    ).toMatch(/two.txt\n.*one.txt|one.txt\n.*two.txt/s);
    expect(await closeWorktree(child, { message })).toEqual(answer);
  });

  test("commits with an unrelated history stay on the child's branch", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.git(["checkout", "-q", "--orphan", "fresh"], child.path);
    await repository.write({ "new.txt": "new\n" }, child.path);
    const answer = await closeWorktree(child, { message });
    expect(answer).toMatchObject({ status: "kept", files: ["new.txt"] });
    expect(await repository.git(["show", "cadre/c1:new.txt"])).toBe("new");
  });

  test("a stale index lock of a killed child does not prevent the merge", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.write({ "new.txt": "new\n" }, child.path);
    await writeFile(join(repository.path, ".git/worktrees/c1/index.lock"), "");
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged", files: ["new.txt"] });
  });

  test("a change is merged even if it keeps the file's size and comes in the same second as `git add`", async () => {
    await using repository = await tempGit({ "a.txt": "a\n" });
    const child = await openChild(repository);
    await repository.write({ "a.txt": "b\n" }, child.path);
    await repository.git(["add", "a.txt"], child.path);
    await repository.write({ "a.txt": "c\n" }, child.path);
    // Git compares modification times in whole seconds.
    await pause(1_010 - (Date.now() % 1_000));
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged" });
    expect(await repository.read("a.txt")).toBe("c\n");
  });

  test("a worktree that the child replaced with a repository of its own is kept", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await unlink(join(child.path, ".git"));
    await repository.git(["init", "-q", "."], child.path);
    await repository.commit({ "own.txt": "own\n" }, child.path);
    const answer = await closeWorktree(child, { message });
    expect(answer).toMatchObject({
      status: "kept",
      files: ["own.txt"],
      detail: expect.stringMatching(/\.git/),
    });
    expect(await repository.git(["log", "--format=%s"], child.path)).toBe("a person's");
  });
});

describe.concurrent("[D6] a damaged or incomplete worktree", () => {
  test.each<[string, (repository: TempGit, child: Worktree) => Promise<unknown>]>([
    ["the folder was deleted", (_, { path }) => rm(path, { recursive: true })],
    [
      "the folder was deleted and its record pruned",
      async (repository, { path }) => {
        await rm(path, { recursive: true });
        await repository.git(["worktree", "prune"]);
      },
    ],
    [
      "the folder is empty and git has no record of it",
      async (repository, { path }) => {
        await rm(path, { recursive: true });
        await repository.git(["worktree", "prune"]);
        await mkdir(path);
      },
    ],
    ["the .git file is missing", (_, { path }) => unlink(join(path, ".git"))],
    [
      "git has no record of the folder, and one of its files is missing",
      async (repository, { path }) => {
        await rm(join(repository.path, ".git/worktrees"), { recursive: true });
        await unlink(join(path, "a.txt"));
      },
    ],
    [
      "an early step of its creation was interrupted",
      async (repository, { path }) => {
        const record = join(repository.path, ".git/worktrees/c1");
        await writeFile(join(record, "locked"), "cadre: being made");
        await rm(path, { recursive: true });
        await mkdir(path);
        for (const file of ["HEAD", "commondir", "index"]) await unlink(join(record, file));
      },
    ],
    [
      "a late step of its creation was interrupted",
      async (repository, { path }) => {
        await writeFile(join(repository.path, ".git/worktrees/c1/locked"), "cadre: being made");
        await unlink(join(path, "a.txt"));
      },
    ],
  ])("opening a damaged worktree again repairs it and keeps its commits: %s", async (_, damage) => {
    await using repository = await tempGit({ "a.txt": "a\n", "b.txt": "b\n" });
    const child = await openChild(repository);
    await repository.commit({ "own.txt": "own\n" }, child.path);
    await damage(repository, child);
    await openWorktree(child);
    expect(await repository.git(["status", "--porcelain", "--branch"], child.path)).toBe("## cadre/c1");
    expect(await readdir(child.path)).toEqual([".git", "a.txt", "b.txt", "own.txt"]);
    expect(await repository.git(["log", "--format=%an", "HEAD"], child.path)).toBe("P\nP");
  });

  test("if git has no record of a worktree, closing the worktree still merges its files", async () => {
    await using repository = await tempGit({ "a.txt": "a\n", "b.txt": "b\n" });
    const child = await openChild(repository);
    await repository.write({ "a.txt": "A\n", "new.txt": "new\n" }, child.path);
    await unlink(join(child.path, ".git"));
    await repository.git(["worktree", "prune"]);
    const merged = await closeWorktree(child, { message });
    expect(merged).toMatchObject({ status: "merged", files: ["a.txt", "new.txt"] });
  });

  test("closing a worktree whose creation never completed changes nothing", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await writeFile(join(repository.path, ".git/worktrees/c1/locked"), "cadre: being made");
    await unlink(join(child.path, "a.txt"));
    expect(await closeWorktree(child, { message })).toEqual({ status: "unchanged" });
    expect(await repository.read("a.txt")).toBe("a\n");
    await expectGone(repository, child);
  });

  test("if the parent worktree lost its .git, nothing is merged into the repository around the worktree", async () => {
    await using repository = await tempGit();
    const outer = await openChild(repository, "c1");
    const inner = await openChild(repository, "c2", outer.path);
    await repository.write({ "new.txt": "new\n" }, inner.path);
    await unlink(join(outer.path, ".git"));
    expect(await closeWorktree(inner, { message })).toMatchObject({
      status: "kept",
      detail: expect.stringMatching(/is no worktree of git any more; what is in .*c2.* is untouched/),
    });
    await expect(openWorktree(inner)).rejects.toThrow(/could not be made.*Nothing that was there is lost/);
    expect(await repository.read("new.txt", inner.path)).toBe("new\n");
    expect(await head(repository)).toBe(outer.base);
  });

  test("a worktree that a person locked is merged, but its folder stays until the person unlocks it", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.write({ "new.txt": "new\n" }, child.path);
    await repository.git(["worktree", "lock", child.path]);
    const merged = await closeWorktree(child, { message });
    expect(merged).toMatchObject({ status: "merged", files: ["new.txt"] });
    expect(await repository.read("new.txt", child.path)).toBe("new\n");
    expect(await closeWorktree(child, { message })).toEqual(merged);
    await repository.git(["worktree", "unlock", child.path]);
    expect(await closeWorktree(child, { message })).toEqual(merged);
    await expectGone(repository, child);
  });

  test("worktrees work when .cadre is a symbolic link", async () => {
    await using repository = await tempGit();
    const elsewhere = await mkdtemp(join(home.path, "state-"));
    await symlink(elsewhere, join(repository.path, ".cadre"));
    const child = await openChild(repository);
    await openWorktree(child);
    await repository.write({ "new.txt": "new\n" }, child.path);
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged", files: ["new.txt"] });
  });
});

describe.concurrent("[D6] another process has locked the parent's git index", () => {
  test("closing a worktree waits until another process releases git's lock", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.write({ "new.txt": "new\n" }, child.path);
    const lock = join(repository.path, ".git/index.lock");
    await writeFile(lock, "");
    const closing = closeWorktree(child, { message });
    // The merge commit is the third commit. Once it exists, only the lock still prevents the worktree from closing.
    const objects = ["cat-file", "--batch-all-objects", "--batch-check"];
    while ((await repository.git(objects)).split(" commit ").length < 4) await pause(10);
    await pause(300);
    await unlink(lock);
    expect(await closing).toMatchObject({ status: "merged" });
  });

  test("closing a worktree gives up after a while if git stays locked, and keeps the branch", async () => {
    await using repository = await tempGit();
    const child = await openChild(repository);
    await repository.write({ "new.txt": "new\n" }, child.path);
    await writeFile(join(repository.path, ".git/index.lock"), "");
    expect(await closeWorktree(child, { message })).toMatchObject({
      status: "kept",
      files: ["new.txt"],
      detail: expect.stringMatching(/index\.lock': File exists/),
    });
  });
});

test("[D6] sweepWorktrees closes only the worktrees of ended runs, nested worktrees first", async () => {
  await using repository = await tempGit({ "a.txt": "a\n", "sub/b.txt": "b\n" });
  const [dead, idle, alive] = await Promise.all(["c1", "c2", "c3"].map((id) => openChild(repository, id)));
  const inner = await openChild(repository, "c4", dead!.path);
  const gone = await openChild(repository, "c5");
  for (const { path, branch } of [dead!, alive!, inner]) await repository.write({ [branch]: "x\n" }, path);
  await repository.commit({ "gone.txt": "gone\n" }, gone.path);
  await rm(gone.path, { recursive: true });
  await repository.git(["worktree", "add", "-q", "theirs"]);

  const isOver = async (id: string) => id !== "c3";
  const keptBranches = await sweepWorktrees(join(repository.path, "sub"), isOver);
  expect(keptBranches.toSorted()).toEqual(["cadre/c1", "cadre/c4", "cadre/c5"]);
  expect(await repository.git(["show", "cadre/c4:cadre/c4"])).toBe("x");
  await expectGone(repository, idle!);
  expect(await readdir(join(repository.path, ".cadre/worktrees"))).toEqual(["c3"]);
  expect(await repository.git(["branch", "--format=%(refname:short)"])).toBe(
    ["cadre/c1", "cadre/c3", "cadre/c4", "cadre/c5", "main", "theirs"].join("\n"),
  );
  expect(await sweepWorktrees(repository.path, isOver)).toEqual([]);
  expect(await sweepWorktrees(home.path, isOver)).toEqual([]);
});

async function openChild(repository: TempGit, id = "c1", workspace = repository.path): Promise<Worktree> {
  const { top, base } = await headOf(workspace);
  const worktree = worktreeOf(top, id, base);
  await openWorktree(worktree);
  return worktree;
}

const head = (repository: TempGit): Promise<string> => repository.git(["rev-parse", "HEAD"]);

async function expectGone(repository: TempGit, { path, branch }: Worktree): Promise<void> {
  await expect(stat(path)).rejects.toThrow();
  expect(await repository.git(["branch", "--list", branch])).toBe("");
  expect(await repository.git(["worktree", "list", "--porcelain"])).not.toContain(`worktree ${path}\n`);
}

/** The parent's state as a person would see it: its commit, index and files. */
async function parentState(repository: TempGit): Promise<unknown> {
  const names = (await readdir(repository.path)).filter((name) => name.includes("."));
  const texts = await Promise.all(names.map(async (name) => [name, await repository.read(name)]));
  const status = await repository.git(["status", "--porcelain=v2", "--branch", "-z"]);
  return { status, index: await repository.git(["ls-files", "--stage", "-z"]), texts };
}

test("[30.4] a folder with a line break in its path has no worktrees, as git's answer would be ambiguous", async () => {
  await using repository = await tempGit({ "a\nb/x.txt": "x\n", "a.txt": "a\n" });
  const inner = join(repository.path, "a\nb");
  const problem = expect.stringContaining("line break");
  expect(await worktreeProblem(inner)).toEqual(problem);
  const { base } = await headOf(repository.path);
  await repository.git(["init", "-q", "--template="], inner);
  await repository.commit({}, inner);
  expect(await worktreeProblem(inner)).toEqual(problem);
  await expect(openWorktree(worktreeOf(inner, "r1", base))).rejects.toThrow("line break");
});
