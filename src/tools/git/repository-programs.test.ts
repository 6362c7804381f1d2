import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bashIn, sandboxes } from "../bash.fixture.ts";
import type { ToolContext } from "../tool.ts";
import { type TempGit, tempGit } from "./temp-git.fixture.ts";
import { worktreeProblem } from "./worktrees.ts";

const EVIL = '#!/bin/sh\necho "R""AN $1" >&2\ntouch "$(dirname "$0")/ran"\ncat "$1" 2>/dev/null || cat\n';

const contextIn = ({ path }: TempGit, changes: Partial<ToolContext>): ToolContext => ({
  ...{ workspace: path, runId: "r1", callId: "m1.0", attempt: 1, key: "k", nonce: () => "n" },
  signal: new AbortController().signal,
  ...changes,
});

/** A repository with one uncommitted change and settings that make git run a program from the repository. */
async function hostileRepository(settings: Record<string, string>, attributes = ""): Promise<TempGit> {
  const repository = await tempGit({ "a.txt": "one\n", "evil.sh": EVIL, ".gitattributes": attributes });
  await chmod(join(repository.path, "evil.sh"), 0o755);
  await repository.commit();
  await repository.write({ "a.txt": "two\n" });
  const program = `'${join(repository.path, "evil.sh")}'`;
  for (const [key, value] of Object.entries(settings))
    await repository.git(["config", key, value.replaceAll("EVIL", program)]);
  return repository;
}

const HOSTILE: [name: string, settings: Record<string, string>, attributes: string, control: string][] = [
  ["diff.external", { "diff.external": "EVIL" }, "", "git diff"],
  ["diff.x.command", { "diff.x.command": "EVIL" }, "*.txt diff=x\n", "git diff"],
  ["diff.x.textconv", { "diff.x.textconv": "EVIL" }, "*.txt diff=x\n", "git log -p"],
  [
    "filter.x.clean",
    { "filter.x.clean": "EVIL", "filter.x.required": "true" },
    "*.txt filter=x\n",
    "git diff",
  ],
  [
    "filter.x.process",
    { "filter.x.process": "EVIL", "filter.x.required": "true" },
    "*.txt filter=x\n",
    "git diff",
  ],
  ["core.fsmonitor", { "core.fsmonitor": "EVIL" }, "", ""],
  ["gpg.program", { "gpg.program": "EVIL", "log.showSignature": "true" }, "", ""],
  ["core.pager", { "core.pager": "EVIL", "pager.status": "EVIL", "pager.log": "EVIL" }, "", ""],
  ["include.path", { "include.path": "../more.conf" }, "*.txt diff=x\n", "git diff"],
];

const READS =
  "git status && git diff && git log -p && git show && git blame a.txt && git diff --stat && git log --format=%G?";

describe.each(sandboxes)("[A30] a hostile repository, in the sandbox %s", (driver) => {
  const bash = bashIn(driver);

  it.each(HOSTILE)(
    "a git command that needs no approval does not run the program set in %s",
    async (_, settings, attributes, control) => {
      await using repository = await hostileRepository(settings, attributes);
      const evil = join(repository.path, "evil.sh");
      await repository.write({ "more.conf": `[diff "x"]\n\tcommand = '${evil}'\n\ttextconv = '${evil}'\n` });
      const answer = await bash.execute({ command: READS }, contextIn(repository, { effect: "read" }));
      expect(answer.output).toMatch(/\[exit 0, [^\]]*\]$/);
      expect(answer.output).not.toContain("RAN");
      expect(answer.output).toMatch(/-one\n\+two/);
      expect(await readdir(repository.path)).not.toContain("ran");
      // Other commands do run the program. This proves that the test would notice a run of the program.
      if (control === "") return;
      await bash.execute({ command: control }, contextIn(repository, { effect: "unsafe" }));
      expect(await readdir(repository.path)).toContain("ran");
    },
  );

  it("a git command that needs no approval does not run the filters of a submodule", async () => {
    await using inner = await tempGit({ "b.txt": "b\n", ".gitattributes": "*.txt filter=x\n" });
    await using repository = await hostileRepository({});
    await repository.git([
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      inner.path,
      "sub",
    ]);
    await repository.git(["config", "--file", ".gitmodules", "submodule.sub.ignore", "none"]);
    await repository.commit();
    const sub = join(repository.path, "sub");
    await repository.git(["config", "filter.x.clean", `'${join(repository.path, "evil.sh")}'`], sub);
    await repository.write({ "b.txt": "B\n" }, sub);
    const answer = await bash.execute({ command: READS }, contextIn(repository, { effect: "read" }));
    expect(answer.output).toMatch(/\[exit 0, [^\]]*\]$/);
    expect(answer.output).not.toContain("RAN");
    expect(await readdir(repository.path)).not.toContain("ran");
    await bash.execute({ command: "git status" }, contextIn(repository, { effect: "unsafe" }));
    expect(await readdir(repository.path)).toContain("ran");
  });

  it("a git command that needs no approval does not run the fetch program of a partial clone", async () => {
    await using repository = await hostileRepository({
      "remote.origin.url": "/",
      "remote.origin.uploadpack": "EVIL",
      "remote.origin.promisor": "true",
      "extensions.partialClone": "origin",
    });
    const blob = await repository.git(["rev-parse", "HEAD:a.txt"]);
    await repository.git(["update-index", "--refresh"]).catch(() => undefined);
    await bashIn("none").execute(
      { command: `rm -f .git/objects/${blob.slice(0, 2)}/${blob.slice(2)}` },
      contextIn(repository, {}),
    );
    const answer = await bash.execute({ command: "git diff" }, contextIn(repository, { effect: "read" }));
    expect(answer.output).not.toContain("RAN");
    expect(await readdir(repository.path)).not.toContain("ran");
    if (driver !== "none") return;
    await bash.execute({ command: "timeout 2 git diff" }, contextIn(repository, { effect: "unsafe" }));
    expect(await readdir(repository.path)).toContain("ran");
  });

  it("no git command runs the repository's hooks", async () => {
    await using repository = await hostileRepository({ "user.name": "P", "user.email": "p@x" });
    await repository.write({ ".git/hooks/pre-commit": EVIL, ".git/hooks/post-commit": EVIL });
    for (const hook of ["pre-commit", "post-commit"])
      await chmod(join(repository.path, ".git/hooks", hook), 0o755);
    const command = "git commit -qam two && git log --oneline | head -1";
    const answer = await bash.execute({ command }, contextIn(repository, { effect: "unsafe" }));
    expect(answer).toMatchObject({ isError: false, output: expect.stringMatching(/two/) });
    expect(answer.output).not.toContain("RAN");
  });
});

describe("[A30] Cadre's own git commands for worktrees", () => {
  it.each([
    ["filter.x.clean", "EVIL"],
    ["filter.x.smudge", "EVIL"],
    ["filter.x.process", "EVIL"],
    ["merge.x.driver", "EVIL"],
  ])(
    "Cadre refuses to make worktrees of a repository that makes git run a program: %s",
    async (key, value) => {
      await using repository = await hostileRepository({ [key]: value }, "*.txt filter=x merge=x\n");
      expect(await worktreeProblem(repository.path)).toContain(key);
      expect(await readdir(repository.path)).not.toContain("ran");
    },
  );

  it("worktrees can be created in a repository with a git-lfs filter", async () => {
    await using repository = await hostileRepository({ "filter.lfs.clean": "git-lfs clean -- %f" });
    expect(await worktreeProblem(repository.path)).toBeUndefined();
  });
});
