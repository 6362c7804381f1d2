// A sandboxed command plants files that would be executed later, outside the sandbox.
// Cadre's own git, or a person who uses the folder, could execute the planted files.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isProtectedPath } from "../../permissions/protected-files.ts";
import { bashIn, sandboxes } from "../bash.fixture.ts";
import { type TempGit, tempGit } from "../git/temp-git.fixture.ts";
import { closeWorktree, headOf, openWorktree, type Worktree, worktreeOf } from "../git/worktrees.ts";
import type { ToolContext } from "../tool.ts";
import type { SandboxName } from "./sandbox.ts";

const confining = sandboxes.filter((name) => name !== "none");

describe.each(confining)("files planted in the sandbox %s", (driver) => {
  it("[A30] [A37] another run cannot point a worktree's record to a different repository", async () => {
    await using place = await project(driver);
    const child = await openChild(place);
    const owned = join(place.path, "owned");
    await place.run(
      `cp -r .git evil; git config --file evil/config filter.x.clean 'touch "${owned}"; cat'; echo '* filter=x' > evil/info/attributes; echo '${place.path}/evil' > .git/worktrees/r2/commondir; true`,
    );
    await place.write({ "new.txt": "new\n" }, child.path);
    expect(await closeWorktree(child, { message: "m" })).toMatchObject({
      status: "merged",
      files: ["new.txt"],
    });
    expect(existsSync(owned)).toBe(false);
  });

  it("[A37] [30.11] a command cannot write into another worktree's git record, or into files from which a rebase would run commands", async () => {
    await using place = await project(driver);
    const child = await openChild(place);
    const record = (await readdir(join(place.path, ".git/worktrees")))[0]!;
    const planted = [
      `.git/worktrees/${record}/config.worktree`,
      `.git/worktrees/${record}/rebase-merge/git-rebase-todo`,
      ".git/config.worktree",
      ".git/rebase-merge/git-rebase-todo",
      ".git/rebase-apply/rebasing",
      ".git/sequencer/todo",
      ".git/BISECT_RUN",
      ".git/hooks2/pre-commit",
      ".git/some-future-hooks",
      ".git/info/sparse",
    ];
    for (const approved of [false, true])
      await place.run(
        `${planted
          .map((path) => `mkdir -p "$(dirname '${path}')"; echo exec evil > '${path}'`)
          .join("\n")
          .replaceAll("rebase", "re''base")
          .replaceAll(".git", ".g''it")}\ntrue`,
        approved ? { approved } : {},
      );
    for (const path of planted) expect(existsSync(join(place.path, path)), path).toBe(false);
    // Ordinary git commands still work.
    await place.run(
      "echo x > y.txt && git add y.txt && git -c user.name=a -c user.email=a@b commit -qm y && git switch -qc other && git tag t && git stash list",
      { approved: true },
    );
    expect(await place.git(["log", "-1", "--format=%s"])).toBe("y");
    await closeWorktree(child, { message: "m" });
  });

  it("[A37] hooks and settings planted in a submodule's git folder are removed", async () => {
    await using place = await project(driver);
    for (const name of ["lib", "deep/lib"])
      await place.write({
        [`.git/modules/${name}/config`]: "[core]\n",
        [`.git/modules/${name}/HEAD`]: "ref: refs/heads/main\n",
        [`.git/modules/${name}/objects/x`]: "",
      });
    await place.run(
      `for m in lib deep/lib new; do mkdir -p .git/modules/$m/hooks; echo x > .git/modules/$m/hooks/pre-commit; git config --file .git/modules/$m/config core.fsmonitor evil; done; true`,
    );
    for (const name of ["lib", "deep/lib"]) {
      expect(await place.read(`.git/modules/${name}/config`)).toBe("[core]\n");
      expect(existsSync(join(place.path, `.git/modules/${name}/hooks`))).toBe(false);
    }
    expect(existsSync(join(place.path, ".git/modules/new/config"))).toBe(false);
  });

  it("[A37] git settings that start programs are reverted, unless the approved command itself sets them", async () => {
    await using place = await project(driver);
    await place.write({
      "build.sh": "git config core.fsmonitor 'touch owned'; git config alias.st '!evil'\n",
    });
    const before = await place.read(".git/config");
    const planted = await place.run("git status --short && sh build.sh", { approved: true });
    expect(planted.output).toMatch(/\.git\/config was put back: this command set core\.fsmonitor, alias\.st/);
    expect(await place.read(".git/config")).toBe(before);
    const linked =
      "git status --short; mv .git/conf* x; ln -s ../x .git/conf''ig; git conf''ig alias.st '!evil'";
    await place.run(linked, { approved: true });
    expect(await place.read(".git/config")).toBe(before);
    await place.run("git remote add up ext::sh%20-c%20evil", { approved: true });
    expect(await place.read(".git/config")).toBe(before);

    await place.run("git remote add up /srv/x.git && git switch -qc new", { approved: true });
    expect(await place.read(".git/config")).toContain("/srv/x.git");
    await place.run("git config core.pager less", { approved: true });
    expect(await place.read(".git/config")).toContain("pager = less");
  });

  it("[A37] planted files that are hard to move are moved as well, and the command's output is still returned", async () => {
    await using elsewhere = await folderIn(existsSync("/dev/shm") ? "/dev/shm" : tmpdir());
    await using place = await project(driver, elsewhere.path);
    const { output } = await place.run(
      "mkdir .vscode .devcontainer; mkfifo .vscode/a; echo x > .vscode/tasks.json; chmod 555 .vscode; echo x > .mcp.json; echo x > .zshrc; true",
    );
    expect(output).not.toContain("nothing was run");
    const left = await readdir(place.path);
    for (const name of [".vscode", ".devcontainer", ".mcp.json", ".zshrc"]) expect(left).not.toContain(name);
  });
});

it.each(sandboxes)(
  "[A32] a command does not inherit file descriptors that were open when Cadre started: %s",
  async (driver) => {
    await using folder = await folderIn(tmpdir());
    await using secret = await folderIn(tmpdir());
    await writeFile(join(secret.path, "key"), "SECRET");
    const script = `
    const { bashIn } = await import(${JSON.stringify(import.meta.resolve("../bash.fixture.ts"))});
    const context = { workspace: ${JSON.stringify(folder.path)}, runId: "r", callId: "c", attempt: 1, key: "k" };
    const command = "cat <&37 || echo closed";
    console.log((await bashIn(${JSON.stringify(driver)}).execute({ command }, { ...context, signal: new AbortController().signal })).output);
    process.exit();`;
    const start = `exec 37<'${secret.path}/key'; exec "$0" --input-type=module -e "$1"`;
    const printed = execFileSync("bash", ["-c", start, process.execPath, script]).toString();
    expect(printed).toContain("closed");
    expect(printed).not.toContain("SECRET");
  },
);

describe("Cadre's own git", () => {
  it("[A30] Cadre's own git does not touch a worktree whose record points to another repository", async () => {
    await using place = await tempGit();
    await using evil = await tempGit();
    const child = await openChild(place);
    await place.write({ "new.txt": "new\n" }, child.path);
    await evil.git(["config", "filter.x.clean", `touch "${evil.path}/owned"; cat`]);
    await mkdir(join(evil.path, ".git/info"), { recursive: true });
    await writeFile(join(evil.path, ".git/info/attributes"), "* filter=x\n");
    await writeFile(join(place.path, ".git/worktrees/r2/commondir"), `${evil.path}/.git\n`);
    expect(await closeWorktree(child, { message: "m" })).toMatchObject({
      status: "kept",
      detail: expect.stringContaining("leads to another repository"),
    });
    expect(existsSync(join(evil.path, "owned"))).toBe(false);
    expect(existsSync(join(child.path, "new.txt"))).toBe(true);
  });

  it("[A30] Cadre's own git runs no program that was added to the git configuration while a child worked", async () => {
    await using place = await tempGit();
    const child = await openChild(place);
    await place.write({ "new.txt": "new\n" }, child.path);
    await appendFile(
      join(place.path, ".git/config"),
      `[filter "x"]\n\tclean = touch \\"${place.path}/owned\\"\n`,
    );
    await place.write({ ".gitattributes": "* filter=x\n" }, child.path);
    expect(await closeWorktree(child, { message: "m" })).toMatchObject({
      status: "kept",
      detail: expect.stringContaining("filter.x.clean"),
    });
    expect(existsSync(join(place.path, "owned"))).toBe(false);
  });

  it("[A37] protected files are not merged automatically, unless a tool wrote them with permission", async () => {
    await using place = await tempGit();
    const child = await openChild(place);
    await place.write({ "new.txt": "new\n", tasks: "{}" }, child.path);
    // The file is only in the commit and not in the folder, so a check of the folder would miss it.
    const object = await place.git(["hash-object", "-w", "tasks"], child.path);
    await place.git(
      ["update-index", "--add", "--cacheinfo", `100644,${object},.vscode/tasks.json`],
      child.path,
    );
    await place.git(["update-index", "--skip-worktree", ".vscode/tasks.json"], child.path);
    const kept = await closeWorktree(child, { message: "m", mustLook: isProtectedPath });
    expect(kept).toMatchObject({ status: "kept", detail: expect.stringContaining(".vscode/tasks.json") });
    expect(existsSync(join(place.path, ".vscode"))).toBe(false);
    expect(await place.git(["show", "cadre/r2:new.txt"])).toBe("new");
  });
});

describe.each(confining)("files that the configuration names, in the sandbox %s", (driver) => {
  const named = ["scripts/deep/check.sh", "gh", "inc.cfg", "later/h.sh"];

  it("[A37] [A90] [30] a command cannot change, replace or move the script of a hook", async () => {
    await using place = await project(driver, undefined, () => named);
    await place.write({ "scripts/deep/check.sh": "true\n" });
    for (const command of [
      "echo evil > scripts/deep/check.sh",
      "rm -f scripts/deep/check.sh; echo evil > scripts/deep/check.sh",
      "mv scripts gone && mkdir -p scripts/deep && echo evil > scripts/deep/check.sh",
      "mv scripts/deep gone2 && mkdir -p scripts/deep && echo evil > scripts/deep/check.sh",
      "printf evil > e && mv e scripts/deep/check.sh",
    ])
      await place.run(command);
    expect(await place.read("scripts/deep/check.sh")).toBe("true\n");
    await place.run("echo fine > scripts/deep/other.txt");
    expect(await place.read("scripts/deep/other.txt")).toBe("fine\n");
  });

  it("[A90] [30] files that the configuration names are moved away if a command creates them", async () => {
    await using place = await project(driver, undefined, () => named);
    const { output } = await place.run(
      "mkdir -p gh later && echo x > gh/pre-commit && echo x > inc.cfg && echo x > later/h.sh && echo x > later/fine.txt",
    );
    for (const path of ["gh", "inc.cfg", "later/h.sh"])
      expect(existsSync(join(place.path, path)), path).toBe(false);
    expect(existsSync(join(place.path, "later/fine.txt"))).toBe(true);
    expect(output).toContain("inc.cfg");
  });

  it("[A37] [30] an approved command that names the script can change it", async () => {
    await using place = await project(driver, undefined, () => named);
    await place.run("mkdir -p later && echo x > later/h.sh", { approved: true });
    expect(await place.read("later/h.sh")).toBe("x\n");
  });

  it("[A37] [30] an approved installation can change the packages that a hook starts; another command cannot", async () => {
    await using place = await project(driver, undefined, () => ["package.json", "node_modules/p"]);
    await place.write({ "package.json": "{}\n", "node_modules/p/index.js": "1\n" });
    const change = "echo x > node_modules/p/index.js; echo x > package.json";
    await place.run(`f=p; echo x > node_modules/$f/index.js; echo 'npm install'`, { approved: true });
    await place.run(`true || npm install; ${change}`);
    expect(await place.read("node_modules/p/index.js")).toBe("1\n");
    await place.run(`true || npm install; echo x > node_modules/p/index.js`, { approved: true });
    expect(await place.read("node_modules/p/index.js")).toBe("x\n");
  });
});

async function openChild(place: TempGit): Promise<Worktree> {
  const { base } = await headOf(place.path);
  const worktree = worktreeOf(place.path, "r2", base);
  await openWorktree(worktree);
  return worktree;
}

async function project(driver: SandboxName, state?: string, named?: () => readonly string[]) {
  const place = await tempGit();
  const bash = bashIn(driver, {
    folder: place.path,
    stateFolder: state ?? join(place.path, ".cadre"),
    isProtected: isProtectedPath,
    ...(named ? { named } : {}),
  });
  let calls = 0;
  return {
    ...place,
    async run(command: string, changes: Partial<ToolContext> = {}): Promise<{ output: string }> {
      const base = { workspace: place.path, runId: "r1", callId: `m1.${calls++}`, attempt: 1, key: "k" };
      const signal = new AbortController().signal;
      const answer = await bash.execute({ command }, { ...base, nonce: () => "n", signal, ...changes });
      return { output: String(answer.output) };
    },
  };
}

async function folderIn(root: string): Promise<{ path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(root, "cadre-state-")));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
