// Kills the process after each git command, and lets three writers edit the same files at random.
// No work is lost or merged twice.

import { spawn } from "node:child_process";
import { mkdtemp, readdir, unlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { applyMerge, settleLeft } from "./apply-merge.ts";
import { inFolder, tryGit } from "./run-git.ts";
import { setUpEmptyHome, type TempGit, tempGit } from "./temp-git.fixture.ts";
import {
  closeWorktree,
  headOf,
  type MergeResult,
  openWorktree,
  sweepWorktrees,
  type Worktree,
  worktreeOf,
} from "./worktrees.ts";

// Vitest spies on this module but does not replace it. Its real functions run until a mutant replaces them.
vi.mock("./apply-merge.ts", { spy: true });

const message = "what the child did";
const home = setUpEmptyHome();

describe.concurrent("[D6] an operation that was killed after a git command can be repeated", () => {
  test.each(["worktree add", "worktree unlock"])(
    "if a process is killed right after git %s, the worktree can be opened again",
    async (command) => {
      await using repository = await tempGit();
      const child = await planChild(repository);
      await killAfter(command, "openWorktree", [child]);
      await openWorktree(child);
      await repository.write({ "new.txt": "new\n" }, child.path);
      expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged", files: ["new.txt"] });
    },
  );

  test.each([
    "ls-files --others",
    "add --all",
    "commit-tree",
    "update-ref",
    "merge-tree",
    "merge --ff-only",
    "worktree remove",
    "branch --delete",
  ])("if a process is killed right after git %s, the worktree can be closed again", async (command) => {
    await using repository = await tempGit();
    const child = await planChild(repository);
    await openWorktree(child);
    await repository.write({ "a.txt": "A\n", "new.txt": "new\n" }, child.path);
    await killAfter(command, "closeWorktree", [child, { message }]);
    const merged = await closeWorktree(child, { message });
    const commit = await repository.git(["rev-parse", "HEAD"]);
    expect(merged).toEqual({ status: "merged", commit, files: ["a.txt", "new.txt"] });
    expect(await repository.git(["rev-list", "--count", "HEAD"])).toBe("3");
    expect(await repository.git(["status", "--porcelain"])).toBe("");
    expect(await repository.git(["branch", "--list", "cadre/*"])).toBe("");
    expect(await readdir(join(repository.path, ".cadre/worktrees"))).toEqual([]);
  });
});

describe("[D6] [36.4] Cadre and its git are killed in the middle of a merge", () => {
  test.each(["missing", "cut short"])(
    "the half-written files are restored, and the merge is repeated, if the second file is %s",
    async (state) => {
      await using repository = await repositoryWithFilter();
      const child = await changedChild(repository);
      await killInMerge(child, "kill -9 $GIT_PID $CADRE_PID");
      expect(await repository.read("a.txt"), "the merge has begun").toBe("A, by the child\n");
      expect(await repository.read("b.txt")).toBe(undefined);
      if (state === "cut short") await repository.write({ "b.txt": "B, by" });

      const merged = await closeWorktree(child, { message });
      expect(merged).toMatchObject({ status: "merged", files: ["a.txt", "b.txt", "new/c.txt"] });
      await expectMerged(repository);
    },
  );

  test("[FAULTS §1.7] the scenario detects a broken version that leaves a dead git's lock and files in place and lets git do the merge", async () => {
    await using repository = await repositoryWithFilter();
    const child = await changedChild(repository);
    await killInMerge(child, "kill -9 $GIT_PID $CADRE_PID");
    vi.mocked(settleLeft).mockImplementation(async () => {});
    vi.mocked(applyMerge).mockImplementation(({ top }, { commit }) =>
      tryGit(inFolder(top), ["merge", "--ff-only", "--quiet", commit]),
    );
    try {
      const detail = expect.stringMatching(/git refused it in .*index\.lock/);
      expect(await closeWorktree(child, { message })).toMatchObject({ status: "kept", detail });
      expect(await repository.read("a.txt"), "half of the merge stays").toBe("A, by the child\n");
    } finally {
      vi.mocked(settleLeft).mockReset();
      vi.mocked(applyMerge).mockReset();
    }
    const merged = await closeWorktree(child, { message });
    expect(merged, "without the mutant the same state has no problem").toMatchObject({ status: "merged" });
    await expectMerged(repository);
  });

  test("the next check of the project restores the folder, even if the merge is not repeated", async () => {
    await using repository = await repositoryWithFilter();
    const child = await changedChild(repository);
    await killInMerge(child, "kill -9 $GIT_PID $CADRE_PID");
    await sweepWorktrees(repository.path, async () => false);
    await expectUnlocked(repository);
    expect(await repository.git(["status", "--porcelain"])).toBe("");
    expect(await repository.read("a.txt")).toBe("a\n");
    await repository.commit({ "own.txt": "a person's\n" });
  });

  test("files that a person has changed in the meantime stay as they are", async () => {
    await using repository = await repositoryWithFilter();
    const child = await changedChild(repository);
    await killInMerge(child, "kill -9 $GIT_PID $CADRE_PID");
    await repository.write({ "a.txt": "a person's\n" });
    const detail = expect.stringContaining("that are not committed are in the way: a.txt. ");
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "kept", detail });
    expect(await repository.read("a.txt")).toBe("a person's\n");
    expect(await repository.git(["status", "--porcelain"])).toBe(" M a.txt");
  });

  test("after a merge that git refused, the files in its way and the deleted files stay as they are", async () => {
    await using repository = await repositoryWithFilter();
    const child = await changedChild(repository);
    // This untracked file contains only the beginning of the child's file.
    await repository.write({ "new/c.txt": "C, by" });
    await unlink(join(repository.path, "b.txt"));
    const detail = expect.stringContaining("in the way: new/c.txt. ");
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "kept", detail });
    expect(await repository.read("new/c.txt")).toBe("C, by");
    expect(await repository.git(["status", "--porcelain"])).toBe(" D b.txt\n?? new/");
    await expectUnlocked(repository);
  });

  test("if git outlives its Cadre process, the next process waits for git and accepts its merge", async () => {
    await using repository = await repositoryWithFilter();
    const child = await changedChild(repository);
    await killInMerge(child, "kill -9 $CADRE_PID; while [ ! -e $HOME/go-on ]; do sleep 0.05; done");
    const closing = closeWorktree(child, { message });
    await expect.poll(() => repository.git(["branch", "--list", "cadre/*"])).not.toBe("");
    await writeFile(join(home.path, "go-on"), "");
    const merged = await closing;
    await unlink(join(home.path, "go-on"));
    expect(merged).toMatchObject({ status: "merged", files: ["a.txt", "b.txt", "new/c.txt"] });
    await expectMerged(repository);
  });

  test("ref locks that a killed git left behind are removed", async () => {
    await using repository = await repositoryWithFilter();
    const child = await changedChild(repository);
    const lock = "touch .git/HEAD.lock .git/refs/heads/main.lock; kill -9 $PPID $$";
    const script = `case " $* " in *" merge --ff-only "*) cd "$2"; ${lock};; esac; exec git "$@"`;
    expect(await runWithFakeGit(script, "closeWorktree", [child, { message }])).toBe("SIGKILL");
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged" });
    await expectMerged(repository);
  });

  test("files missing from a half-removed worktree do not count as deleted by the child", async () => {
    await using repository = await repositoryWithFilter();
    const child = await changedChild(repository);
    const script = `case " $* " in *" worktree remove "*) rm ${JSON.stringify(join(child.path, "a.txt"))}; kill -9 $PPID $$;; esac; exec git "$@"`;
    expect(await runWithFakeGit(script, "closeWorktree", [child, { message }])).toBe("SIGKILL");
    expect(await closeWorktree(child, { message })).toMatchObject({ status: "merged" });
    await expectMerged(repository);
    expect(await readdir(join(repository.path, ".cadre/worktrees"))).toEqual([]);
  });
});

/** A repository whose text files pass through a filter of the user. The filter lets a test stop git while it writes files. */
async function repositoryWithFilter(): Promise<TempGit & AsyncDisposable> {
  await writeFile(
    join(home.path, ".gitconfig"),
    `[filter "stop"]\n\tsmudge = "sh \\"$HOME/smudge.sh\\" %f"\n\tclean = cat\n`,
  );
  const stop = 'case "$CADRE_PID $1" in [0-9]*" b.txt") eval "$STOP";; esac; cat';
  await writeFile(join(home.path, "smudge.sh"), stop);
  return tempGit({ "a.txt": "a\n", "b.txt": "b\n", ".gitattributes": "*.txt filter=stop\n" });
}

async function changedChild(repository: TempGit): Promise<Worktree> {
  const child = await planChild(repository);
  await openWorktree(child);
  await repository.write(
    { "a.txt": "A, by the child\n", "b.txt": "B, by the child\n", "new/c.txt": "C, by the child\n" },
    child.path,
  );
  return child;
}

/** Closes the worktree in another process. While git writes the second file, the filter runs the script. */
async function killInMerge(child: Worktree, stop: string): Promise<void> {
  const script = `case " $* " in *" merge --ff-only "*) export CADRE_PID=$PPID GIT_PID=$$ STOP='${stop}';; esac; exec git "$@"`;
  expect(await runWithFakeGit(script, "closeWorktree", [child, { message }])).toBe("SIGKILL");
}

async function expectMerged(repository: TempGit): Promise<void> {
  expect(await repository.read("a.txt")).toBe("A, by the child\n");
  expect(await repository.read("b.txt")).toBe("B, by the child\n");
  expect(await repository.read("new/c.txt")).toBe("C, by the child\n");
  expect(await repository.git(["status", "--porcelain"])).toBe("");
  expect(await repository.git(["rev-list", "--count", "HEAD"])).toBe("3");
  expect(await repository.git(["branch", "--list", "cadre/*"])).toBe("");
  await expectUnlocked(repository);
}

async function expectUnlocked(repository: TempGit): Promise<void> {
  const files = await readdir(join(repository.path, ".git"), { recursive: true });
  expect(files.filter((name) => name.endsWith(".lock") || name.includes("cadre-"))).toEqual([]);
}

test("[D6] Ctrl-C does not interrupt git in the middle of its work", async () => {
  await using repository = await tempGit();
  const child = await planChild(repository);
  const interrupt = 'trap "" INT; kill -INT 0; exec git "$@"';
  expect(await runWithFakeGit(interrupt, "openWorktree", [child])).toBe(0);
  expect(await repository.read("a.txt", child.path)).toBe("a\n");
});

type Writer = "parent" | "c1" | "c2";

interface Edit {
  by: Writer;
  file: string;
  /** Line number at which the new line is inserted. */
  place: number;
  thenCommits: boolean;
}

const edits = fc.array(
  fc.record<Edit>({
    by: fc.constantFrom("parent", "c1", "c2"),
    file: fc.constantFrom("a.txt", "b ü.txt", "new/c.txt"),
    place: fc.nat(5),
    thenCommits: fc.boolean(),
  }),
  { minLength: 3, maxLength: 10 },
);

test("[D6] every line that a child wrote ends up in the parent, or on a branch that the answer names", async () => {
  await fc.assert(
    fc.asyncProperty(edits, async (written) => {
      const text = "1\n2\n3\n4\n5\n";
      await using repository = await tempGit({ "a.txt": text, "b ü.txt": text });
      const children = [await planChild(repository, "c1"), await planChild(repository, "c2")];
      for (const child of children) await openWorktree(child);
      const folders = { parent: repository.path, c1: children[0]!.path, c2: children[1]!.path };
      for (const [at, edit] of written.entries()) await write(repository, folders[edit.by], edit, at);

      const answers = await Promise.all(children.map((child) => closeWorktree(child, { message })));
      const found = await linesIn(repository, answers);
      const lost = written.map(lineOf).filter((line) => !found.has(line));
      expect(lost).toEqual([]);
      const parents = written.map(lineOf).filter((line) => line.startsWith("parent"));
      const kept = await linesIn(repository, []);
      expect(parents.filter((line) => !kept.has(line))).toEqual([]);
    }),
    { numRuns: 6, seed: 6 },
  );
});

const lineOf = (edit: Edit, at: number): string => `${edit.by} wrote ${at}`;

async function write(repository: TempGit, folder: string, edit: Edit, at: number): Promise<void> {
  const lines = ((await repository.read(edit.file, folder)) ?? "").split("\n");
  const text = lines.toSpliced(Math.min(edit.place, lines.length - 1), 0, lineOf(edit, at)).join("\n");
  await repository.write({ [edit.file]: text }, folder);
  if (edit.thenCommits) await repository.commit({}, folder);
}

async function linesIn(repository: TempGit, answers: readonly MergeResult[]): Promise<Set<string>> {
  const names = ["a.txt", "b ü.txt", "new/c.txt"];
  const texts = await Promise.all(names.map((name) => repository.read(name)));
  for (const answer of answers)
    if ("branch" in answer) texts.push(await repository.git(["grep", "-h", "", answer.branch]));
  return new Set(texts.flatMap((text) => text?.split("\n") ?? []));
}

async function planChild(repository: TempGit, id = "c1"): Promise<Worktree> {
  const { top, base } = await headOf(repository.path);
  return worktreeOf(top, id, base);
}

/** Runs the call in another process, and kills that process after the given git command. */
async function killAfter(command: string, call: string, args: readonly unknown[]): Promise<void> {
  const kill = `case " $* " in *" ${command} "*) kill -9 $PPID;; esac`;
  expect(await runWithFakeGit(`git "$@"; code=$?; ${kill}; exit $code`, call, args)).toBe("SIGKILL");
}

/** Runs the call in another process, with a script in place of git. Returns the exit code or signal. */
async function runWithFakeGit(script: string, call: string, args: readonly unknown[]): Promise<unknown> {
  const bin = await mkdtemp(join(home.path, "bin-"));
  const path = process.env["PATH"];
  await writeFile(join(bin, "git"), `#!/bin/sh\nPATH=${JSON.stringify(path)}\n${script}\n`, { mode: 0o755 });
  const file = new URL("./worktrees.ts", import.meta.url).href;
  const code = `const { ${call} } = await import(${JSON.stringify(file)}); await ${call}(...${JSON.stringify(args)});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    env: { HOME: home.path, PATH: bin + delimiter + path },
    stdio: "inherit",
    detached: true,
  });
  return new Promise((done) => child.once("exit", (how, signal) => done(signal ?? how)));
}
