import { appendFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspectPath } from "../files/workspace-path.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import { gitProgramSetting } from "./program-setting.ts";
import { tempGit } from "./temp-git.fixture.ts";

describe("programs that a repository makes git run", () => {
  it.each([
    ['[filter "x"]\n\tclean = evil', "filter.clean"],
    ['[filter "a]b"]\n\tprocess = evil', "filter.process"],
    ['[filter "a]b"] clean = evil', "filter.clean"],
    // Git cannot read such a file, so every git command on it fails.
    ["[log]\n\tshowSignature # always", "a configuration that cannot be read"],
    // Spellings that Cadre's former parser read differently from git [30.16].
    ['[core]\n\tfsmonitor = "ev"il', "core.fsmonitor"],
    ['[core]\n\tfsmonitor = "true" evil', "core.fsmonitor"],
    ["[core] bare = false\n[a] x = y\n[b] [diff] external = evil", "diff.external"],
    ["[user]\n\tname = a \\\n b\n[diff]\n\texternal = ev\\\nil", "diff.external"],
    ['[filter "x"]\r\n\tclean = evil\r\n', "filter.clean"],
    ['[filter "git-lfs"]\n\tclean = "git-lfs clean -- %f; evil"', "filter.clean"],
    ['[diff "two\\"words"]\n\ttextconv = evil', "diff.textconv"],
    ["[Core]\n\tFSMonitor = /evil ; comment", "core.fsmonitor"],
    ["[diff]external=evil", "diff.external"],
    ["[diff]\n\texternal = evil", "diff.external"],
    ['[diff "x"]\n\ttextconv = evil', "diff.textconv"],
    ["[DIFF.x]\r\n\tCommand = evil\r", "diff.command"],
    ["[core] fsmonitor = evil", "core.fsmonitor"],
    ["[core]\n\tworktree = /etc", "core.worktree"],
    ["[gpg]\n\tprogram = evil", "gpg.program"],
    ["[log]\n\tshowSignature", "log.showsignature"],
    ["[include]\n\tpath = ../evil", "include.path"],
    ['[remote "o"]\n\tpromisor = true', "remote.promisor"],
  ])("[A30] the git setting %j is found", async (text, setting) => {
    await using repository = await tempGit();
    expect(gitProgramSetting(repository.path)).toBeUndefined();
    await appendFile(join(repository.path, ".git/config"), `${text}\n`);
    expect(gitProgramSetting(repository.path)).toBe(setting);
  });

  it("[A30] [30.16] a repository that borrows objects from another repository is reported", async () => {
    await using repository = await tempGit();
    await writeFile(join(repository.path, ".git/objects/info/alternates"), "/somewhere/else\n");
    expect(gitProgramSetting(repository.path)).toBe("objects of another repository");
  });

  it("[A30] harmless git settings are ignored, and so are settings that Cadre overrides for agents", async () => {
    await using repository = await tempGit();
    await repository.git(["config", "core.fsmonitor", "true"]);
    await repository.git(["config", "core.worktree", ".."]);
    await repository.git(["config", "core.sshCommand", "ssh -i key"]);
    await repository.git(["remote", "add", "origin", "https://example.com/x"]);
    expect(gitProgramSetting(repository.path)).toBeUndefined();
  });

  it("[A30] the setting is found from a subfolder, in a worktree and in a bare repository", async () => {
    await using repository = await tempGit({ "a/b.txt": "x" });
    await repository.git(["worktree", "add", "-q", "side"]);
    await repository.git(["config", "diff.external", "evil"]);
    expect(gitProgramSetting(join(repository.path, "a"))).toBe("diff.external");
    expect(gitProgramSetting(join(repository.path, "side"))).toBe("diff.external");
    await using folder = await tempWorkspace();
    expect(gitProgramSetting(folder.path)).toBeUndefined();
    await repository.git(["init", "-q", "--bare", folder.path]);
    await writeFile(join(folder.path, "config"), "[diff]\n external = evil\n");
    expect(gitProgramSetting(folder.path)).toBe("diff.external");
  });
});

it("[A30] [A35] a .git file that points to another repository is reported; the .git file of a worktree or submodule is not", async () => {
  await using victim = await tempGit();
  await using folder = await tempWorkspace();
  await writeFile(join(folder.path, ".git"), `gitdir: ${victim.path}/.git\n`);
  expect(gitProgramSetting(folder.path)).toBe("a .git that leads to another repository");
  await using linked = await tempWorkspace();
  await symlink(join(victim.path, ".git"), join(linked.path, ".git"));
  expect(gitProgramSetting(linked.path)).toBe("a .git that leads to another repository");
  await victim.git(["worktree", "add", "-q", "side"]);
  expect(gitProgramSetting(join(victim.path, "side"))).toBeUndefined();
  await using outer = await tempGit();
  await outer.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", victim.path, "sub"]);
  expect(gitProgramSetting(join(outer.path, "sub"))).toBeUndefined();
});

describe("resolving the real path", () => {
  it("[A35] the real path is found by following links as the operating system does", async () => {
    await using folder = await tempWorkspace();
    await using elsewhere = await tempWorkspace();
    await writeFile(join(elsewhere.path, "key"), "x");
    await symlink(elsewhere.path, join(folder.path, "out"));
    await symlink("missing", join(folder.path, "nowhere"));
    await symlink("loop", join(folder.path, "loop"));
    const inspect = (path: string) => inspectPath(`${folder.path}/${path}`);
    expect(inspect("a/b")).toEqual({ real: join(folder.path, "a/b"), isFolder: false });
    expect(inspect(".")).toEqual({ real: folder.path, isFolder: true });
    expect(inspect("out")).toEqual({ real: elsewhere.path, isFolder: true });
    expect(inspect("out/key").real).toBe(join(elsewhere.path, "key"));
    expect(inspect("out/new").real).toBe(join(elsewhere.path, "new"));
    expect(inspect("out/../key").real).toBe(join(elsewhere.path, "../key"));
    for (const path of ["nowhere", "loop", "loop/x", "a/../b"])
      expect(inspect(path).real, path).toBeUndefined();
  });
});
