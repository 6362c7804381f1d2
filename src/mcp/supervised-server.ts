// Starts an MCP server under a supervisor. The supervisor is a small shell script that deliberately outlives Cadre for a moment.
// When the pipe from Cadre closes, the supervisor kills the server's process group. The pipe also closes if Cadre is killed.
// No server outlives Cadre. On systems with /proc, a mark in the environment identifies processes that left the process group.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";

export interface SupervisedServer {
  /** Process id of the supervisor, which is the leader of the server's session. Undefined if the supervisor could not be started. */
  pid: number | undefined;
  input: Writable;
  output: Readable;
  errors: Readable;
  /** Resolves to the exit code. 127 means that the program does not exist. 128 or more means that a signal ended the program. */
  ended: Promise<number>;
  /** Sends SIGTERM. If the server is still running two seconds later, it is killed. */
  stop(): void;
  kill(): void;
}

const GRACE_MS = 2_000;

/** The first argument is the mark, and the other arguments are the command. Descriptor 3 is the pipe from Cadre. The supervisor has no mark. */
const SUPERVISOR = `
mark=$1
shift
set -m
( exec 3<&-; export CADRE_SERVER_ID="$mark"; exec -- "$@" ) &
group=$!
set +m
exec 0<&- 1>&- 2>/dev/null
sweep() {
  kill -KILL -- "-$group"
  [ -r /proc/self/environ ] || return
  for file in $(grep -lszx "CADRE_SERVER_ID=$mark" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}"
  done
}
{
  while read -r _ <&3; do kill -TERM -- "-$group"; done
  sweep
} &
watcher=$!
exec 3<&-
wait "$group"
code=$?
sweep
kill -KILL "$watcher"
exit "$code"
`;

export function startSupervisedServer(
  argv: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
): SupervisedServer {
  const child: ChildProcess = spawn(
    "bash",
    ["--norc", "--noprofile", "-c", SUPERVISOR, "cadre-server", randomUUID(), ...argv],
    { ...place, detached: true, stdio: ["pipe", "pipe", "pipe", "pipe"] },
  );
  // If there are too many open files (EMFILE), Node returns a child without streams and emits the error event later.
  if (!child.stdio) {
    child.once("error", () => {});
    throw new Error("no more files or processes can be opened");
  }
  const pipe = child.stdio[3] as Writable;
  for (const stream of [pipe, child.stdin!]) stream.on("error", () => undefined);
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const kill = (): void => {
    pipe.end();
    pipe.destroy();
  };
  const ended = new Promise<number>((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => {
      isOver = true;
      clearTimeout(timer);
      kill();
      done(code ?? (signal === "SIGKILL" ? 137 : 143));
    });
  });
  return {
    pid: child.pid,
    input: child.stdin!,
    output: child.stdout!,
    errors: child.stderr!,
    ended,
    stop() {
      if (isOver) return;
      child.stdin!.end();
      pipe.write("stop\n");
      timer ??= setTimeout(kill, GRACE_MS);
    },
    kill,
  };
}

/** Describes how a program ended. */
export const endWords = (code: number, program: string): string =>
  code === 127
    ? `there is no program ${program}: install it, or give its path`
    : `it ended with code ${code}`;

/** Returns the program's own stderr, without the messages of the supervisor's shell. */
export const ownWords = (errors: string): string => errors.replace(/^cadre-server: line .*$/gm, "").trim();
