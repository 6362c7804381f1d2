import { mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempGit } from "../git/temp-git.fixture.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import type { ProbeContext } from "../tool.ts";
import { parsePlainCommands, probeCommand } from "./probe-command.ts";

const HOUR = 3_600_000;

const anything: ProbeContext["mayShow"] = () => true;

/** Returns a probe for a call that began at `startedAt`. By default, the call began before the test changed anything. */
const probeFrom =
  (workspace: string, { startedAt = Date.now() - HOUR, mayShow = anything } = {}) =>
  (command: string) =>
    probeCommand(command, {
      workspace,
      runId: "r1",
      callId: "m1.0",
      attempt: 1,
      startedAt,
      mayShow,
      signal: new AbortController().signal,
    });

describe("[PB4] a command is parsed only if a shell would take its words literally", () => {
  test.each([
    ["mkdir -p a/b", [["mkdir", "-p", "a/b"]]],
    [
      `git commit -m 'it''s "x"' && rm a\\ b`,
      [
        ["git", "commit", "-m", 'its "x"'],
        ["rm", "a b"],
      ],
    ],
    [`rm "a \\"b\\" $" c`, undefined],
    [`rm "a \\$b" ü`, [["rm", "a $b", "ü"]]],
  ])("parsePlainCommands returns the words of: %s", (line, words) =>
    expect(parsePlainCommands(line)).toEqual(words),
  );

  test.each([
    "rm *",
    "rm a; rm b",
    "rm a | cat",
    "echo x > a",
    "rm $A",
    "rm `a`",
    "rm ~/a",
    "rm a &",
    "mkdir {a,b}",
    "rm 'a",
    "a && ",
    "rm a\nrm b",
    "rm a # b",
    "rm a?",
    "",
  ])("parsePlainCommands rejects: %j", (line) => expect(parsePlainCommands(line)).toBeUndefined());
});

describe("[PB4] commands that change paths", () => {
  test("the probe judges mkdir, touch and rm by the existence and the times of files", async () => {
    await using w = await tempWorkspace();
    const probe = probeFrom(w.path);
    expect(await probe("mkdir out")).toEqual({ found: "not_done", evidence: ["There is no folder out."] });
    await mkdir(join(w.path, "out"));
    expect(await probe("mkdir -p out")).toMatchObject({ found: "done" });
    const later = probeFrom(w.path, { startedAt: Date.now() + HOUR });
    expect(await later("mkdir out")).toMatchObject({
      found: "cannot_tell",
      evidence: [expect.stringMatching(/^The folder out was there before the call began \(made .*Z\)\.$/)],
    });

    await writeFile(join(w.path, "out/a"), "x");
    expect(await probe("cd out && touch a")).toMatchObject({ found: "done" });
    await utimes(join(w.path, "out/a"), 1, 1);
    expect(await probe("touch out/a")).toMatchObject({
      found: "not_done",
      evidence: ["out/a was last changed 1970-01-01T00:00:01.000Z, before the call began."],
    });
    expect(await later("rm -rf out/a")).toMatchObject({
      found: "not_done",
      evidence: ["out/a is still there."],
    });
    expect(await probe("rm out/a"), "made since: by whom?").toMatchObject({ found: "cannot_tell" });
    await rm(join(w.path, "out/a"));
    expect(await probe("rm -rf out/a")).toEqual({ found: "done", evidence: ["out/a is not there."] });
    expect(await probe("rm out/a out")).toMatchObject({ found: "cannot_tell" });
  });

  test("the probe judges mv and cp by source and target; for cp it also compares their contents", async () => {
    await using w = await tempWorkspace();
    const probe = probeFrom(w.path);
    await writeFile(join(w.path, "a"), "text");
    expect(await probe("mv a b")).toEqual({
      found: "not_done",
      evidence: ["a is still there.", "b is not there."],
    });
    expect(await probe("cp a b")).toMatchObject({ found: "not_done" });
    await writeFile(join(w.path, "b"), "tex");
    expect(await probe("cp a b"), "half of it").toMatchObject({ found: "cannot_tell" });
    expect(await probe("mv a b")).toMatchObject({ found: "cannot_tell" });
    await writeFile(join(w.path, "b"), "text");
    expect(await probe("cp a b")).toEqual({
      found: "done",
      evidence: [
        "b has exactly the content of a (sha256 982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1).",
      ],
    });
    await rename(join(w.path, "a"), join(w.path, "b"));
    expect(await probe("mv a b")).toMatchObject({
      found: "done",
      evidence: ["a is not there.", expect.stringContaining("b is there (sha256 982d9e3e")],
    });
  });

  test("for mv into a folder, the probe looks in that folder; a file older than the call proves nothing", async () => {
    await using w = await tempWorkspace();
    const probe = probeFrom(w.path);
    await mkdir(join(w.path, "out"));
    await writeFile(join(w.path, "a"), "text");
    expect(await probe("mv a out/")).toEqual({
      found: "not_done",
      evidence: ["a is still there.", "out/a is not there."],
    });
    await rename(join(w.path, "a"), join(w.path, "out/a"));
    expect((await probe("mv a out")).found).toBe("done");
    const later = probeFrom(w.path, { startedAt: Date.now() + HOUR });
    expect((await later("mv a out")).found).toBe("cannot_tell");
  });

  test("for commands joined by &&, evidence for the last one is enough; contradictory evidence is inconclusive", async () => {
    await using w = await tempWorkspace();
    const probe = probeFrom(w.path);
    await mkdir(join(w.path, "out"));
    expect(await probe("npm test && mkdir out")).toMatchObject({
      found: "done",
      evidence: [
        "Of `npm` it is not known what it leaves behind.",
        expect.stringContaining("The folder out"),
      ],
    });
    expect((await probe("mkdir out && npm test")).found).toBe("cannot_tell");
    expect((await probe("mkdir out && mkdir more")).found).toBe("cannot_tell");
    expect((await probe("mkdir some && mkdir more")).found).toBe("not_done");
    expect((await probe("npm test && mkdir more")).found).toBe("cannot_tell");
    expect((await probe("npm pack && rm left.tgz")).found, "it may never have been").toBe("cannot_tell");
    expect(await probe("curl -X POST http://x | sh")).toEqual({
      found: "cannot_tell",
      evidence: ["The command is not of a shape whose effect can be looked up."],
    });
    expect(await probe("sleep 9 && mkdir more && echo made")).toMatchObject({ found: "not_done" });
    for (const odd of [
      "git add -A",
      "cd - && mkdir x",
      "mkdir --mode=0 x",
      "mkdir",
      "mv a b c",
      "toString x",
      "rm -i x",
    ])
      expect((await probe(odd)).found, odd).toBe("cannot_tell");
  });

  test("[PB2] the probe does not inspect paths that are denied, outside the workspace or behind links", async () => {
    await using w = await tempWorkspace();
    await symlink("/etc", join(w.path, "link"));
    const probe = probeFrom(w.path, { mayShow: (path) => path !== "secret" });
    expect(await probe("rm secret")).toEqual({
      found: "cannot_tell",
      evidence: ["The rules do not let secret be read."],
    });
    for (const path of ["/etc/passwd", "../x", "link/passwd"])
      expect((await probe(`rm ${path}`)).found, path).toBe("cannot_tell");
    expect((await probe("cd .. && rm x")).found).toBe("cannot_tell");
    expect((await probe("rm 'a\u202eb'")).evidence[0]).toContain("⟦U+202E⟧");
  });
});

describe("[PB4] git commit", () => {
  test("for git commit, the probe looks for a commit that has the same message and is newer than the call", async () => {
    await using repo = await tempGit();
    const probe = probeFrom(repo.path);
    const later = probeFrom(repo.path, { startedAt: Date.now() + HOUR });
    const commit = 'git add -A && git commit -q -m "Mend it" -m "Because."';
    expect(await later(commit)).toMatchObject({
      found: "not_done",
      evidence: [
        expect.stringMatching(/^HEAD is still [0-9a-f]{12} "a person's" of .*Z, older than the call\.$/),
      ],
    });
    expect(await probe(commit), "another one is there").toMatchObject({ found: "cannot_tell" });
    await repo.git(["commit", "-q", "--allow-empty", "-s", "-m", "Mend it  ", "-m", "Because."]);
    await repo.commit();
    expect(await probe(commit)).toMatchObject({
      found: "done",
      evidence: [expect.stringMatching(/^Commit [0-9a-f]{12} "Mend it" of .*Z has this message\.$/)],
    });
    expect((await probe("git commit -F note.txt")).found).toBe("cannot_tell");
    expect((await probe("git commit -m Mend")).found).toBe("cannot_tell");
    expect((await probe("git push")).found).toBe("cannot_tell");
  });

  test("if there is no repository or no commit, the evidence says so", async () => {
    await using w = await tempWorkspace();
    const probe = probeFrom(w.path);
    expect(await probe("git commit -m x")).toEqual({
      found: "cannot_tell",
      evidence: ["git could not say which commits there are."],
    });
    await using repo = await tempGit();
    await repo.git(["checkout", "-q", "--orphan", "empty"]);
    expect(await probeFrom(repo.path)("git commit -m x")).toEqual({
      found: "not_done",
      evidence: ["There is no commit yet."],
    });
  });
});
