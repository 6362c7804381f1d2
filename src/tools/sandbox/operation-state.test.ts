// A rule allows a git command, and the command stops at a conflict. Git's record of the operation stays, so that the agent can solve the conflict.
// The record is moved away if it would start a program when a person continues the operation.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isProtectedPath } from "../../permissions/protected-files.ts";
import { bashIn, sandboxes } from "../bash.fixture.ts";
import { tempGit } from "../git/temp-git.fixture.ts";
import type { SandboxName } from "./sandbox.ts";

const EDITOR = "export GIT_EDITOR=true;";

describe.each(sandboxes)("an operation of git that stops at a conflict: %s", (driver) => {
  it("[30.11] goes on in the next command, in the project and in a worktree", async () => {
    await using place = await diverged(driver);
    await place.git(["worktree", "add", "-q", "-b", "third", ".cadre/worktrees/r2", "side"]);
    const before = await place.git(["rev-parse", "HEAD"]);
    const worktree = join(place.path, ".cadre/worktrees/r2");
    const goOn = "git add -A; git rebase --continue || git rebase --skip";
    const operations = [
      [place.path, "git cherry-pick main~1 main", "git cherry-pick --abort"],
      [place.path, "git merge main", "git add -A; git commit -qm merged"],
      [place.path, "sh -c 'git rebase main'", goOn],
      [worktree, "git rebase --apply main", goOn],
    ];
    for (const [workspace = "", start = "", end = ""] of operations) {
      const started = await place.run(start, workspace);
      expect(started, start).toMatch(/CONFLICT/);
      expect(started).not.toContain("moved to");
      const ended = await place.run(`echo solved > a.txt; ${end}`, workspace);
      expect(ended, `${end}: ${ended}`).toMatch(/exit 0/);
      expect(ended).not.toContain("moved to");
      if (workspace === place.path) await place.git(["checkout", "-q", "-B", "side", before]);
    }
    expect(await place.run("git bisect start HEAD HEAD~1")).not.toContain("moved to");
    expect(await place.run("git bisect reset")).toMatch(/exit 0/);
  });
});

const confining = sandboxes.filter((name) => name !== "none");

describe.each(confining)("a planted state of an operation: %s", (driver) => {
  it("[A90] [30.11] is moved away, even within a real operation", async () => {
    await using place = await diverged(driver);
    await place.run("git rebase main");
    const output = await place.run("echo 'exec evil' >> .git/rebase-merge/git-rebase-todo");
    expect(output).toContain(".git/rebase-merge was made by this command and moved");
    expect(existsSync(join(place.path, ".git/rebase-merge"))).toBe(false);
  });

  it("[A90] [30.11] in the main folder is out of reach for a command in a worktree", async () => {
    await using place = await diverged(driver);
    await place.git(["worktree", "add", "-q", "-b", "third", ".cadre/worktrees/r2", "side"]);
    await place.git(["rebase", "main"]).catch(() => undefined);
    const before = await place.read(".git/rebase-merge/git-rebase-todo");
    await place.run(
      "echo drop > ../../../.git/rebase-merge/git-rebase-todo",
      join(place.path, ".cadre/worktrees/r2"),
    );
    expect(before).toBeDefined();
    expect(await place.read(".git/rebase-merge/git-rebase-todo")).toBe(before);
  });
});

/** The branches `main` and `side` change the same line in two commits each. The checked out branch is `side`. */
async function diverged(driver: SandboxName) {
  const place = await tempGit();
  for (const name of ["user.name", "user.email"]) await place.git(["config", name, "p@x"]);
  await place.git(["branch", "side"]);
  for (const branch of ["main", "side"]) {
    await place.git(["switch", "-q", branch]);
    for (const count of [1, 2]) await place.commit({ "a.txt": `${branch} ${count}\n` });
  }
  let calls = 0;
  return {
    ...place,
    async run(command: string, workspace = place.path): Promise<string> {
      const bash = bashIn(driver, {
        folder: place.path,
        stateFolder: join(place.path, ".cadre/state"),
        isProtected: isProtectedPath,
      });
      const context = {
        workspace,
        runId: "r1",
        callId: `m1.${calls++}`,
        attempt: 1,
        key: "k",
        nonce: () => "n",
      };
      const signal = new AbortController().signal;
      const answer = await bash.execute({ command: `${EDITOR} ${command}` }, { ...context, signal });
      return String(answer.output);
    },
  };
}
