// Runs a command under a supervisor (`supervisor.sh`): a small shell that outlives us for a moment, on purpose.
//  - The command gets a process group of its own. We hold a leash to the supervisor; when it ends, because we say so or
//    because we were killed, the supervisor kills the whole group. No command survives its run.
//  - When the command ends, whatever it left behind is killed (A31). In a sandbox that is everybody in its PID namespace.
//    Without one it is everybody in its session, with its mark, or, where Linux has made the supervisor the heir of all
//    orphans below it, everybody at all. What could not be killed is said.
//  - `stop` asks first (SIGTERM) and kills two seconds later.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, constants, readFileSync, readlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Duplex, Readable } from "node:stream";

export interface SupervisedProcess {
  output: Readable;
  /** Rejects when it could not be started. */
  ended: Promise<CommandEnd>;
  stop(): void;
  kill(): void;
}

export interface CommandEnd {
  /** The exit code; 128 and more is a signal, as a shell says it. */
  code: number;
  /** What may still be running, in words. */
  left?: string;
}

const GRACE = 2_000;
const SCRIPT = readFileSync(new URL("./supervisor.sh", import.meta.url), "utf8");

/** The supervisor and its command as an argv, for a sandbox to wrap. */
export function supervisorArgv(command: string, callId: string): string[] {
  const shell = ["bash", "--norc", "--noprofile", "-c", SCRIPT];
  // A copy of a project has runs and calls of the same names: its processes are not ours to end.
  const mark = `${callId}:${randomBytes(8).toString("hex")}`;
  return [...shell, "cadre-supervisor", command, mark, pidNamespace() ?? ""];
}

export function supervise(options: {
  argv: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
}): SupervisedProcess {
  const [program = "", ...args] = options.argv;
  const child: ChildProcess = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe"],
  });
  // EMFILE: Node gives a child without streams, and its error event comes later.
  if (!child.stdio) {
    child.once("error", () => {});
    throw new Error("no more files or processes can be opened");
  }
  const leash = child.stdio[3] as Duplex;
  // The supervisor may be gone before we let go: that is what we wanted.
  leash.on("error", () => undefined);
  let said = "";
  leash.on("data", (chunk: Buffer) => (said += chunk.toString()));
  let timer: NodeJS.Timeout | undefined;
  const kill = () => leash.end();
  const ended = new Promise<CommandEnd>((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      // Where the command has killed the supervisor, this ends what watches for us.
      kill();
      // Its last words may come after its end.
      const finish = () => {
        leash.destroy();
        done({ code: code ?? (signal === "SIGKILL" ? 137 : 143), ...leftOf(said, signal) });
      };
      if (leash.readableEnded) finish();
      else leash.once("end", finish).once("close", finish);
    });
  });
  return {
    output: child.stdout!,
    ended,
    stop() {
      leash.write("stop\n");
      timer ??= setTimeout(kill, GRACE);
    },
    kill,
  };
}

function leftOf(said: string, signal: NodeJS.Signals | null): Pick<CommandEnd, "left"> {
  const pids = /^left (.*)$/m.exec(said)?.[1];
  if (pids !== undefined) return { left: `these processes could not be ended: ${pids}` };
  if (signal === null) return {};
  return { left: "it ended the shell that watches over it, so what it has started may still be running" };
}

/**
 * Makes the supervisor the heir of every orphan below it (a child subreaper), so that `setsid env -i` and daemons that fork
 * twice are found as well. Linux lets a process ask that for itself and keeps it over exec; perl is who can ask.
 */
export function withSubreaper(argv: readonly string[], path: string): string[] {
  const syscall = process.platform === "linux" ? PRCTL[process.arch] : undefined;
  const perl = syscall === undefined ? undefined : findPerl(path);
  if (perl === undefined) return [...argv];
  return [perl, "-e", `syscall(${syscall}, 36, 1, 0, 0, 0); exec { $ARGV[0] } @ARGV; exit 127`, ...argv];
}

const PRCTL: Partial<Record<NodeJS.Architecture, number>> = { x64: 157, arm64: 167 };

/** In the folders of the clean environment: one that an agent can write to comes last there. */
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
