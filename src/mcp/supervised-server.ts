// Starts a server under a supervisor, a small shell that outlives us for a moment, on purpose: it kills the server's whole
// process group when our pipe closes, because we say so or because we were killed. No server survives us. The server has its
// own input, output and errors; what left its group is found by the mark in its environment, where the system has /proc.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";

export interface SupervisedServer {
  /** Of the supervisor, the leader of the session that it and the server are in; undefined: it could not be started. */
  pid: number | undefined;
  input: Writable;
  output: Readable;
  errors: Readable;
  /** The exit code; 127: there is no such program; 128 and more is a signal. */
  ended: Promise<number>;
  /** Asks first, and kills two seconds later. */
  stop(): void;
  kill(): void;
}

const GRACE_MS = 2_000;

/**
 * $1 is the mark, the rest the command, run as it is: no word of it is a shell's. Descriptor 3 is our pipe. The supervisor's own
 * environment is without the mark: it would find itself.
 */
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
  // EMFILE: Node gives a child without streams, and its error event comes later.
  if (!child.stdio) {
    child.once("error", () => {});
    throw new Error("no more files or processes can be opened");
  }
  const leash = child.stdio[3] as Writable;
  for (const stream of [leash, child.stdin!]) stream.on("error", () => undefined);
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const kill = (): void => {
    leash.end();
    leash.destroy();
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
      leash.write("stop\n");
      timer ??= setTimeout(kill, GRACE_MS);
    },
    kill,
  };
}

/** How a program ended, for people. */
export const endWords = (code: number, program: string): string =>
  code === 127
    ? `there is no program ${program}: install it, or give its path`
    : `it ended with code ${code}`;

/** What a program wrote to stderr, without the words of the shell that was to start it. */
export const ownWords = (errors: string): string => errors.replace(/^cadre-server: line .*$/gm, "").trim();
