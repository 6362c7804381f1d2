// Runs a command under a supervisor (`supervisor.sh`), a small shell that briefly outlives Cadre on purpose.
//  - The command gets its own process group. A pipe connects Cadre with the supervisor.
//    When Cadre closes the pipe or dies, the supervisor kills the whole group, so no command survives its run.
//  - When the command ends, the supervisor kills all processes that the command left behind (A31).
//    A sandbox has its own PID namespace, so all its processes are killed. Otherwise processes are found by session and a mark in their environment.
//    On Linux, the supervisor also adopts orphans (as a child subreaper). Processes that could not be killed are reported.
//  - `stop` sends SIGTERM, and kills the processes that are still running two seconds later.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, constants, readFileSync, readlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Duplex, Readable, Writable } from "node:stream";
import { revealHidden } from "../../journal/visible.ts";

export interface SupervisedProcess {
  output: Readable;
  /** The command's standard input. Present only if text is sent to the command. */
  input?: Writable | undefined;
  /** Resolves when the command has ended. Rejects if the command could not be started. */
  ended: Promise<CommandEnd>;
  stop(): void;
  kill(): void;
}

export interface CommandEnd {
  /** The exit code. If a signal ended the command, the code is 128 plus the signal's number, as in a shell. */
  code: number;
  /** Says in a sentence which processes might still be running. */
  left?: string;
  /** Processes that the command left running and that were therefore killed: `123 sleep 300`. */
  killed?: string[];
}

const GRACE = 2_000;
const SCRIPT = readFileSync(new URL("./supervisor.sh", import.meta.url), "utf8");

/** The argv that starts the supervisor with the command. A sandbox can wrap this argv. */
export function supervisorArgv(command: string, callId: string): string[] {
  const shell = ["bash", "--norc", "--noprofile", "-c", SCRIPT];
  // The mark is random, because a copy of the project has runs and calls with the same ids. Processes of the copy must not be killed.
  const mark = `${callId}:${randomBytes(8).toString("hex")}`;
  return [...shell, "cadre-supervisor", command, mark, pidNamespace() ?? ""];
}

export function supervise(options: {
  argv: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** True if text is sent to the command. Otherwise its input is empty. */
  input?: true;
}): SupervisedProcess {
  const [program = "", ...args] = options.argv;
  const child: ChildProcess = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: [options.input ? "pipe" : "ignore", "pipe", "ignore", "pipe"],
  });
  // If no file descriptor is free (EMFILE), Node returns a child without streams and emits the error later.
  if (!child.stdio) {
    child.once("error", () => {});
    throw new Error("no more files or processes can be opened");
  }
  const leash = child.stdio[3] as Duplex;
  // The supervisor might already have ended.
  leash.on("error", () => undefined);
  let said = "";
  leash.on("data", (chunk: Buffer) => (said += chunk.toString()));
  let timer: NodeJS.Timeout | undefined;
  const kill = () => leash.end();
  const ended = new Promise<CommandEnd>((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      // If the command has killed the supervisor, closing the pipe ends the supervisor's watcher.
      kill();
      // The supervisor's last report might arrive after its exit.
      const finish = () => {
        leash.destroy();
        done({
          code: code ?? (signal === "SIGKILL" ? 137 : 143),
          ...leftOf(said, signal),
          ...killedOf(said),
        });
      };
      // Stopping a command that has already ended breaks the pipe, so the pipe might be closed already.
      if (leash.readableEnded || leash.closed) finish();
      else leash.once("end", finish).once("close", finish);
    });
  });
  return {
    output: child.stdout!,
    ...(child.stdin ? { input: child.stdin } : {}),
    ended,
    stop() {
      leash.write("stop\n");
      timer ??= setTimeout(kill, GRACE);
    },
    kill,
  };
}

function killedOf(said: string): Pick<CommandEnd, "killed"> {
  const killed = [...said.matchAll(/^ended (\d+ .*?) *$/gm)].map(([, process]) => process!);
  return killed.length === 0 ? {} : { killed };
}

/** Tells the agent which detached processes were killed together with the command. */
export const killedNote = ({ killed = [] }: CommandEnd): string[] =>
  killed.length === 0
    ? []
    : [
        `Ended together with the command, because it had left them running: ${killed.map(revealHidden).join("; ")}. For a process that is to go on, set background.`,
      ];

function leftOf(said: string, signal: NodeJS.Signals | null): Pick<CommandEnd, "left"> {
  const pids = /^left (.*)$/m.exec(said)?.[1];
  if (pids !== undefined) return { left: `these processes could not be ended: ${pids}` };
  if (signal === null) return {};
  return { left: "it ended the shell that watches over it, so what it has started may still be running" };
}

/** Makes the supervisor a child subreaper, which adopts all orphaned descendants. Node cannot do this, so perl does. */
export function withSubreaper(argv: readonly string[], path: string): string[] {
  const syscall = process.platform === "linux" ? PRCTL[process.arch] : undefined;
  const perl = syscall === undefined ? undefined : findPerl(path);
  if (perl === undefined) return [...argv];
  return [perl, "-e", `syscall(${syscall}, 36, 1, 0, 0, 0); exec { $ARGV[0] } @ARGV; exit 127`, ...argv];
}

const PRCTL: Partial<Record<NodeJS.Architecture, number>> = { x64: 157, arm64: 167 };

/** Searches the clean PATH, which contains no folder that an agent can write to. */
function findPerl(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, "perl"))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function pidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}
