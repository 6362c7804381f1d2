import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readlink, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isProtectedPath } from "../../permissions/protected-files.ts";
import { bashIn, sandboxes } from "../bash.fixture.ts";
import { bashTool } from "../bash.ts";
import { type TempGit, tempGit } from "../git/temp-git.fixture.ts";
import { closeWorktree, headOf, openWorktree, worktreeOf } from "../git/worktrees.ts";
import type { ToolContext } from "../tool.ts";
import type { SandboxSettings } from "./sandbox.ts";

const confining = sandboxes.filter((name) => name !== "none");

interface Project extends TempGit {
  /** Runs a command in the project and returns the output that the model would read. */
  run(command: string, changes?: Partial<ToolContext>): Promise<{ output: string; isError: boolean }>;
}

async function project(
  driver: SandboxSettings["driver"],
  settings: Partial<SandboxSettings> = {},
): Promise<Project> {
  const repository = await tempGit({ "a.txt": "a\n", "cadre.yaml": "model: x\n", "agents/a.md": "# A\n" });
  await mkdir(join(repository.path, ".git/hooks"));
  await repository.git(["config", "user.name", "P"]);
  await repository.git(["config", "user.email", "p@x"]);
  await repository.write({ ".cadre/token": "TOKEN\n", ".cadre/.gitignore": "*\n" });
  const folder = repository.path;
  const bash = bashTool({
    sandbox: { driver, network: "approved", write: [], ...settings },
    ...{ folder, stateFolder: join(folder, ".cadre"), isProtected: isProtectedPath },
  });
  let calls = 0;
  return {
    ...repository,
    async run(command, changes = {}) {
      const base = { workspace: folder, runId: "r1", callId: `m1.${calls++}`, attempt: 1, key: "k" };
      const signal = new AbortController().signal;
      const answer = await bash.execute({ command }, { ...base, nonce: () => "n", signal, ...changes });
      return { output: String(answer.output), isError: answer.isError === true };
    },
  };
}

describe.each(confining)("the sandbox %s", (driver) => {
  it("the sandbox lets a command write only to the workspace and to a private /tmp", async () => {
    await using place = await project(driver);
    await using outside = await tempFolder();
    expect((await place.run("echo b > b.txt; mkdir d; rm a.txt; ls")).isError).toBe(false);
    expect(await place.read("b.txt")).toBe("b\n");
    const marker = `cadre-private-${process.pid}`;
    const { output } = await place.run(
      `touch ${outside.path}/x /usr/x /etc/x "$HOME/x" /var/tmp/${marker}; touch /tmp/${marker} && echo private; mktemp`,
    );
    expect(output).toMatch(/private\n\/tmp\//);
    for (const path of [join(outside.path, "x"), "/usr/x", "/etc/x", join(homedir(), "x")])
      expect(existsSync(path)).toBe(false);
    expect(existsSync(join(tmpdir(), marker))).toBe(false);
  });

  it("[A32] the sandbox hides home folders, system secrets and Cadre's own files", async () => {
    await using place = await project(driver);
    const { output } = await place.run(
      `ls -A ~ /root /home; ls -A ~/.ssh ~/.aws ~/.config; cat .cadre/token; ls -A .cadre; cat /etc/shadow; ls /run`,
    );
    expect(output).not.toMatch(/TOKEN|root:[*x$!]|id_rsa|docker\.sock|bash_history/);
    await using other = await tempFolder();
    await writeFile(join(other.path, "secret"), "SECRET");
    expect((await place.run(`cat ${other.path}/secret`)).output).not.toContain("SECRET");
  });

  it("[A35] the sandbox does not follow links to hidden files or out of the workspace", async () => {
    await using place = await project(driver);
    await using outside = await tempFolder();
    await writeFile(join(outside.path, "f"), "untouched");
    await symlink(outside.path, join(place.path, "out"));
    await symlink(join(place.path, ".cadre"), join(place.path, "state"));
    const { output } = await place.run("echo x > out/f; echo x > out/g; cat state/token");
    expect(output).not.toContain("TOKEN");
    expect(await readFile(join(outside.path, "f"), "utf8")).toBe("untouched");
    expect(existsSync(join(outside.path, "g"))).toBe(false);
  });

  it.each([
    ["cadre.yaml", "echo x >> cadre.yaml"],
    ["cadre.yaml", "rm -f cadre.yaml"],
    ["cadre.yaml", "mv cadre.yaml c; echo x > cadre.yaml"],
    ["agents/a.md", "echo x > agents/a.md"],
    ["agents/a.md", "mv agents b; mkdir agents; echo x > agents/a.md"],
    [".git/config", "git config core.pager evil"],
    [".git/config", "echo x >> .git/config"],
    [".git/config", "mv .git g; cp -r g .git; echo x >> .git/config"],
    [".git/hooks", "echo x > .git/hooks/pre-commit"],
    [".git/hooks", "rmdir .git/hooks; ln -s /tmp .git/hooks"],
    [".git/config", "unshare -Urm sh -c 'umount -l .git/config; echo x >> .git/config'"],
  ])("[A37] %s is unchanged after: %s", async (file, command) => {
    await using place = await project(driver);
    const state = () =>
      execFileSync("ls", ["-lAR", "--time-style=full-iso", file], { cwd: place.path }).toString();
    const before = [state(), await place.read(file)];
    await place.run(`${command}; true`);
    expect([state(), await place.read(file)]).toEqual(before);
    expect((await place.run("cat cadre.yaml agents/a.md && git status")).isError).toBe(false);
  });

  it.each([
    [".mcp.json", "echo '{}' > .mcp.json"],
    [".vscode", "mkdir .vscode; echo x > .vscode/tasks.json"],
    [".github", "mkdir -p .github/workflows; echo x > .github/workflows/ci.yml"],
    [".claude", "ln -s /tmp .claude"],
    [".git/config.worktree", "echo x > .git/config.worktree"],
    [".git/commondir", "echo /tmp > .git/commondir"],
  ])(
    "[A37] a protected %s that a command creates is moved away, and the output says so",
    async (file, command) => {
      await using place = await project(driver);
      const { output } = await place.run(`${command}; true`);
      expect(existsSync(join(place.path, file))).toBe(false);
      const notice = /^(\S+) was made by this command and moved to (\S.*): files/m.exec(output);
      // The sandbox program srt itself prevents some of these changes, so there is no notice.
      if (notice) expect(notice[1]).toBe(file);
      else expect(driver).toBe("srt");
    },
  );

  it("[A37] a protected link that a command replaced is restored", async () => {
    await using place = await project(driver);
    await symlink("more", join(place.path, ".claude"));
    await place.run("rm .claude; mkdir .claude; echo x > .claude/settings.json; true");
    expect(await readlink(join(place.path, ".claude"))).toBe("more");
  });

  it("a command can change a protected file only if it names the file and a person approved the command", async () => {
    await using place = await project(driver);
    const command = "echo 'model: y' > cadre.yaml; echo '# B' > agents/b.md; mkdir .vscode";
    expect((await place.run(command)).output).toMatch(/read-only/i);
    expect((await place.run("sh -c \"printf x > ca''dre.yaml\"", { approved: true })).isError).toBe(true);
    expect(await place.read("cadre.yaml")).toBe("model: x\n");
    expect(await place.run(command, { approved: true })).toMatchObject({ isError: false });
    expect(await place.read("cadre.yaml")).toBe("model: y\n");
    expect(await place.read("agents/b.md")).toBe("# B\n");
    expect(existsSync(join(place.path, ".vscode"))).toBe(true);
    expect(await place.run("git remote add x /x", { approved: true })).toMatchObject({ isError: false });
  });

  it("a command judged read-only cannot write", async () => {
    await using place = await project(driver);
    const { output } = await place.run("touch x; git status --short; cat a.txt", { effect: "read" });
    expect(output).toMatch(/Read-only[\s\S]*a\n/);
    expect(existsSync(join(place.path, "x"))).toBe(false);
  });

  it("git works in the repository, in a subfolder and in a child's worktree", async () => {
    await using place = await project(driver);
    const commit =
      "echo new > new.txt && git add new.txt && git commit -qm new && git log --oneline | head -1";
    expect(await place.run(commit)).toMatchObject({ isError: false, output: expect.stringContaining("new") });
    await mkdir(join(place.path, "below"));
    const below = await place.run(commit, { workspace: join(place.path, "below") });
    // In a subfolder, git fails with srt, because srt hides everything around the workspace, even the repository.
    expect(below.isError).toBe(driver === "srt");
    const { base } = await headOf(place.path);
    const worktree = worktreeOf(place.path, "r2", base);
    await openWorktree(worktree);
    const inChild = await place.run(
      "cat ../../token; echo c > child.txt && git add -A && git commit -qm child",
      {
        workspace: worktree.path,
      },
    );
    expect(inChild.isError).toBe(false);
    expect(inChild.output).not.toContain("TOKEN");
    await place.run("echo x > ../../../a.txt; echo HACKED >> ../../../.git/config", {
      workspace: worktree.path,
    });
    expect(await place.read("a.txt")).toBe("a\n");
    expect(await place.read(".git/config")).not.toContain("HACKED");
    expect(await closeWorktree(worktree, { message: "m" })).toMatchObject({
      status: "merged",
      files: ["child.txt"],
    });
  });

  it("a `.git` file that points to another repository gives no write access to that repository", async () => {
    await using victim = await tempGit();
    await using place = await tempFolder();
    await writeFile(join(place.path, ".git"), `gitdir: ${victim.path}/.git\n`);
    const bash = bashIn(driver, {
      folder: place.path,
      stateFolder: join(place.path, ".cadre"),
      isProtected: isProtectedPath,
    });
    const context = {
      workspace: place.path,
      runId: "r",
      callId: "c",
      attempt: 1,
      key: "k",
      nonce: () => "n",
    };
    const command = `echo x > ${victim.path}/.git/HEAD; git commit --allow-empty -qm x; true`;
    await bash.execute({ command }, { ...context, signal: new AbortController().signal });
    expect(await victim.git(["log", "--format=%s"])).toBe("a person's");
  });

  it("[A39] an archive cannot be unpacked outside the workspace", async () => {
    await using place = await project(driver);
    await using outside = await tempFolder();
    const make = `mkdir -p t/in && cd t/in && echo x > ../../z && tar -cPf ../../slip.tar ../../z --transform 's,.*,${outside.path}/slip,' && cd ../..`;
    execFileSync("bash", ["-c", make], { cwd: place.path });
    await place.run("tar -xPf slip.tar; true");
    expect(existsSync(join(outside.path, "slip"))).toBe(false);
    // Outside the sandbox, the same archive does write outside the workspace. This proves that the test would notice an escape.
    execFileSync("tar", ["-xPf", "slip.tar"], { cwd: place.path });
    expect(existsSync(join(outside.path, "slip"))).toBe(true);
  });

  it("the sandbox allows network access if a person approved the call or the project allows it", async () => {
    const { port, seen, close } = await server();
    const call = `curl -sS -m 5 --noproxy '' http://127.0.0.1:${port}/x`;
    await using byDefault = await project(driver);
    await byDefault.run(call);
    await byDefault.run(call, { approved: true, effect: "read" });
    await using off = await project(driver, { network: "off" });
    await off.run(call, { approved: true });
    expect(seen()).toBe(0);
    expect((await byDefault.run(call, { approved: true })).output).toContain("hello");
    await using on = await project(driver, { network: "on" });
    expect((await on.run(call)).output).toContain("hello");
    await close();
  });

  it("a list of hosts limits network access to those hosts; a sandbox that cannot filter hosts allows no network access", async () => {
    const { port, seen, close } = await server();
    const call = (host: string) => `curl -sS -m 5 --noproxy '' http://${host}:${port}/x`;
    await using place = await project(driver, { network: ["127.0.0.1"] });
    const allowed = await place.run(call("127.0.0.1"), { approved: true });
    expect(allowed.output.includes("hello")).toBe(driver === "srt");
    const before = seen();
    for (const host of ["localhost", "127.0.0.2", "2130706434"])
      expect((await place.run(call(host), { approved: true })).output).not.toContain("hello");
    expect(seen()).toBe(before);
    await close();
  });
});

describe.runIf(sandboxes.includes("srt"))("[A33] the proxy of srt", () => {
  it("the proxy refuses a host name with NUL or a line break, because the check might read it as another host", async () => {
    const { port, seen, close } = await server();
    await using place = await project("srt", { network: ["*.allowed.test", "127.0.0.1"] });
    await place.write({ "socks.mjs": SOCKS });
    const asks = async (host: string) =>
      (await place.run(`node socks.mjs '${host}' ${port}`, { approved: true })).output.split("\n")[0];
    expect(await asks("127.0.0.1")).toBe("0");
    for (const host of [
      "127.0.0.2%00.allowed.test",
      "localhost%00.allowed.test",
      "localhost%0a.allowed.test",
    ])
      expect(await asks(host)).toMatch(/^([1-9]|closed)/);
    expect(seen()).toBe(0);
    await close();
  });
});

/** A script that sends a host name, byte for byte, to the SOCKS proxy in its environment, and prints the reply code. */
const SOCKS = `
import { connect } from "node:net";
const proxy = new URL(process.env.FTP_PROXY);
const host = Buffer.from(decodeURIComponent(process.argv[2]));
const [user, password] = [proxy.username, proxy.password].map((text) => Buffer.from(decodeURIComponent(text)));
const port = Number(process.argv[3]);
const say = (text) => { console.log(text); process.exit(); };
const socket = connect(Number(proxy.port), "127.0.0.1", () => socket.write(Buffer.from([5, 1, 2])));
socket.on("close", () => say("closed")).on("error", () => say("closed"));
const steps = [
  () => socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password])),
  () => socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), host, Buffer.from([port >> 8, port & 255])])),
  (answer) => say(answer[1]),
];
socket.on("data", (chunk) => steps.shift()(chunk));
`;

describe("a missing sandbox", () => {
  it("Bash refuses to run if the configured sandbox is missing; with `auto` it runs without a sandbox", async () => {
    await using folder = await tempFolder();
    const script = `
      const { bashIn } = await import(${JSON.stringify(import.meta.resolve("../bash.fixture.ts"))});
      const context = { workspace: ${JSON.stringify(folder.path)}, runId: "r", callId: "c", attempt: 1, key: "k" };
      for (const driver of ["bwrap", "auto"])
        console.log(JSON.stringify(await bashIn(driver).execute({ command: "echo ran" }, { ...context, signal: new AbortController().signal })));`;
    const bash = execFileSync("sh", ["-c", "command -v bash"]).toString().trim();
    await symlink(bash, join(folder.path, "bash"));
    // The PATH contains bash and nothing else.
    const env = { PATH: folder.path, HOME: folder.path };
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { env }).toString();
    const [asked, auto] = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(asked).toMatchObject({ isError: true });
    expect(asked.output).toMatch(
      /^nothing was run: cadre.yaml asks for the sandbox bwrap, and bubblewrap \(bwrap\) is not/,
    );
    expect(auto).toMatchObject({ sandbox: "none", output: expect.stringContaining("ran") });
  });
});

async function tempFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "cadre-outside-")));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function server() {
  let count = 0;
  const http = createServer((_, response) => {
    count++;
    response.end("hello");
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  const close = () => new Promise((done) => http.close(done));
  return { port: (http.address() as AddressInfo).port, seen: () => count, close };
}
