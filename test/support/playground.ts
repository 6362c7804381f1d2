// The playground really runs the commands that the permission judge allows.
// The playground has a temporary repository with canaries, a home folder, and a neighbouring folder.
// The programs on the PATH of the playground leave a mark when they are called.
// Each command runs with the Bash tool. The playground then looks for side effects: changed files, marks, and connections to a port.
// If the machine has strace, the playground also looks at system calls.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PermissionRequest, Verdict } from "../../src/permissions/permission.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { inspectPath } from "../../src/tools/files/workspace-path.ts";
import { gitProgramSetting } from "../../src/tools/git/program-setting.ts";
import { judge } from "./judge.ts";

export interface Playground {
  workspace: string;
  /** A port on the loopback interface on which the playground listens. */
  port: number;
  judge(command: string, changes?: Partial<PermissionRequest>): Verdict;
  /** Runs the command as an agent would. Returns the output, and a trace of everything that the command should not have done. */
  run(command: string): Promise<{ output: string; traces: string[] }>;
  close(): void;
}

const FAKES = [
  "X",
  "evil",
  "curl",
  "wget",
  "nc",
  "ssh",
  "gpg",
  "python3",
  "node",
  "perl",
  "xdg-open",
  "less",
];
const STRACE = existsSync("/usr/bin/strace") && existsSync("/bin/bash");
const OLD = new Date("2020-01-01");

export async function playground(): Promise<Playground> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "cadre-judge-")));
  const at = (...path: string[]) => join(root, ...path);
  const before = { ...process.env };
  buildWorkspace(at);
  buildPrograms(at, before["PATH"] ?? "/usr/bin:/bin");
  Object.assign(process.env, { PATH: `${at("bin")}:${before["PATH"]}`, HOME: at("home"), TMPDIR: at("tmp") });
  let connections = 0;
  const listener = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  const port = await new Promise<number>((done) => {
    listener.listen(0, "127.0.0.1", () => done((listener.address() as { port: number }).port));
  });
  const workspace = at("work");
  // There is no sandbox here, because a command that is allowed without approval must be harmless on any machine.
  const bash = bashTool({
    sandbox: { driver: "none", network: "approved", write: [] },
    folder: workspace,
    stateFolder: at("work", ".cadre"),
    isProtected: () => false,
  });
  const untouched = snapshot(root);
  return {
    workspace,
    port,
    judge: (command, changes = {}) =>
      judge({
        ...{ tool: "Bash", input: { command }, effect: "unsafe", gate: { ask: [], deny: [] } },
        ...{
          ancestors: [],
          authority: [],
          grants: [],
          workspace,
          now: 1_000,
          inspectPath: inspectPath,
          gitProgramSetting: gitProgramSetting,
        },
        ...changes,
      }),
    async run(command) {
      rmSync(`${root}.strace`, { force: true });
      const { output } = await bash.execute(
        { command, timeout: 30_000 },
        {
          ...{ workspace, runId: "r1", callId: "m1.0", attempt: 1, key: "k", nonce: () => "n" },
          effect: "read",
          signal: new AbortController().signal,
        },
      );
      const traces = differences(untouched, snapshot(root));
      if (connections > 0) traces.push(`${connections} connections`);
      traces.push(...suspiciousCalls(`${root}.strace`));
      return { output: String(output), traces };
    },
    close() {
      listener.close();
      for (const name of ["PATH", "HOME", "TMPDIR"]) restore(name, before[name]);
      rmSync(root, { recursive: true, force: true });
      rmSync(`${root}.strace`, { force: true });
    },
  };
}

type At = (...path: string[]) => string;

function buildWorkspace(at: At): void {
  for (const folder of ["work/src", "work/secrets", "home", "tmp", "bin", "outside"])
    mkdirSync(at(folder), { recursive: true });
  const files = {
    "work/a.txt": "one\ntwo\nthree\n",
    "work/b.txt": "one\n2\nthree\n",
    "work/canary": "alive\n",
    "work/src/a.ts": "export const a = 1;\n",
    "work/-o": "a file named like a flag\n",
    "work/run.sh": "X\n",
    "work/secrets/key": "hidden\n",
    "home/.bashrc": "X\n",
    "outside/secret": "OUTSIDE\n",
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(at(path), text);
  symlinkSync(at("outside"), at("work/out"));
  symlinkSync(at("outside/secret"), at("work/src/link"));
  const env = { PATH: process.env["PATH"], HOME: at("home") };
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=P", "-c", "user.email=p@x", ...args], { cwd: at("work"), env });
  git("init", "-q", "-b", "main", "--template=");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  signLastCommit(git);
  writeFileSync(at("work/b.txt"), "one\ntwo\nthree\nfour\n");
  // The files get old timestamps. Git trusts old timestamps, so it has no reason to rewrite its index.
  for (const path of Object.keys(files)) utimesSync(at(path), OLD, OLD);
  git("status");
}

/** Adds a signature to the last commit, so that git calls gpg to verify it. */
function signLastCommit(git: (...args: string[]) => Buffer): void {
  const commit = git("cat-file", "commit", "HEAD").toString();
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\n";
  const signed = commit.replace(/^(committer .*\n)/m, `$1${signature}`);
  const cwd = git("rev-parse", "--show-toplevel").toString().trim();
  const hash = execFileSync("git", ["hash-object", "-w", "-t", "commit", "--stdin"], { cwd, input: signed });
  git("update-ref", "HEAD", hash.toString().trim());
}

function buildPrograms(at: At, path: string): void {
  const program = (name: string, script: string) => {
    writeFileSync(at("bin", name), `#!/bin/sh\n${script}\n`);
    chmodSync(at("bin", name), 0o755);
  };
  for (const name of FAKES) program(name, `echo "$0 $*" >> ${at("marks")}`);
  // The supervisor itself uses perl. Only calls of perl by the tested command leave a mark.
  program("perl", `case "$2" in syscall*) exec /usr/bin/perl "$@";; esac; echo "$0 $*" >> ${at("marks")}`);
  if (!STRACE) return;
  // The supervisor starts the first bash. strace follows this bash and every process below it.
  const calls =
    "execve,open,openat,creat,socket,connect,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mkdir,mkdirat,rmdir,mknod,mknodat,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,truncate,ftruncate,utime,utimensat,setxattr,mount";
  program(
    "bash",
    `export PATH='${at("bin")}:${path}'
[ -n "$TRACED" ] && exec /bin/bash "$@"
TRACED=1 exec /usr/bin/strace -f -qq --seccomp-bpf -s 200 -o '${at()}.strace' -e trace=${calls} /bin/bash "$@"`,
  );
}

/** The content and metadata of every file below a folder, except access times. */
function snapshot(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    const stats = lstatSync(path, { bigint: true });
    const content = stats.isSymbolicLink()
      ? readlinkSync(path)
      : stats.isFile()
        ? createHash("sha1").update(readFileSync(path)).digest("hex")
        : "";
    found.set(path.slice(root.length), `${stats.mode} ${stats.mtimeNs} ${content}`);
    if (stats.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
  };
  visit(root);
  return found;
}

function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).map((path) => `changed ${path}`);
}

/** Finds system calls that a read-only command does not need. Each log line has the process, the call, its arguments and its result. */
function suspiciousCalls(log: string): string[] {
  if (!existsSync(log)) return STRACE ? ["strace saw nothing"] : [];
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => isSuspicious(line.replace(/^\d+\s+/, "")));
}

function isSuspicious(call: string): boolean {
  if (/^execve\(/.test(call))
    return !PROGRAMS.test(call) && !OF_SUPERVISOR.test(call) && !call.includes("ENOENT");
  if (/^open(at)?\(/.test(call))
    return /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(call) && !/"\/dev\/(null|tty)"/.test(call);
  // User names are looked up through a local daemon, over a Unix socket.
  if (/^(socket|connect)\(/.test(call)) return !/AF_UNIX|AF_LOCAL/.test(call);
  return /^(unlink|rename|link|symlink|mkdir|rmdir|mknod|chmod|fchmod|chown|fchown|lchown|truncate|ftruncate|utime|setxattr|creat|mount)/.test(
    call,
  );
}

/** Programs that the supervisor itself starts, and commands that are known to be read-only. */
const PROGRAMS =
  /^execve\("[^"]*\/(bash|grep|strace|sh|basename|ls|cat|head|tail|wc|nl|whoami|id|uname|dirname|realpath|readlink|file|stat|du|cut|tr|sort|uniq|diff|cmp|which|rg|find|git|sed|pwd|echo|true|false)"/;

/** On a busy machine, the supervisor looks for a process that has just ended, or waits until a killed process is gone. */
const OF_SUPERVISOR = /^execve\("[^"]*\/(?:ps", \["ps", "-o", "args=", "-p", |sleep", \["sleep", "0\.05"\])/;

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
