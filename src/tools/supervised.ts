// Runs a command under a supervisor: a small shell that outlives us for a moment, on purpose.
//  - The command gets a process group of its own. We hold a pipe to the supervisor; when it closes, because we say so or
//    because we were killed, the supervisor kills the whole group. No command survives its run.
//  - When the command ends, whatever it left behind in its group is killed, and what left the group (`setsid`) is found by
//    the mark in its environment, where the system has /proc (A31).
//  - `stop` asks first (SIGTERM) and kills two seconds later.

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export interface Supervised {
  output: Readable;
  /** The exit code; 128 and more is a signal, as a shell says it. Rejects when it could not be started. */
  ended: Promise<number>;
  stop(): void;
  kill(): void;
}

const GRACE = 2_000;

/** $1 the command, $2 its mark. Descriptor 3 is our pipe, 4 the command's output. Works in bash 3.2 as well. */
const SUPERVISOR = `
exec 4>&1 >/dev/null 2>&1
set -m
CADRE_CALL_ID="$2" bash --norc --noprofile -c "$1" >&4 2>&1 3<&- 4>&- &
group=$!
set +m
exec 4>&-
sweep() {
  kill -KILL -- "-$group"
  [ -r /proc/self/environ ] || return
  for file in $(grep -lszx "CADRE_CALL_ID=$2" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}"
  done
}
{
  while read -r _ <&3; do kill -TERM -- "-$group"; done
  sweep "$@"
} &
watcher=$!
exec 3<&-
wait "$group"
code=$?
sweep "$@"
kill -KILL "$watcher"
exit "$code"
`;

export function superviseCommand(options: {
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  mark: string;
}): Supervised {
  const child: ChildProcess = spawn(
    "bash",
    ["--norc", "--noprofile", "-c", SUPERVISOR, "cadre-supervisor", options.command, options.mark],
    { cwd: options.cwd, env: options.env, detached: true, stdio: ["ignore", "pipe", "ignore", "pipe"] },
  );
  // EMFILE: Node gives a child without streams, and its error event comes later.
  if (!child.stdio) {
    child.once("error", () => {});
    throw new Error("no more files or processes can be opened");
  }
  const leash = child.stdio[3] as Writable;
  // The supervisor may be gone before we let go: that is what we wanted.
  leash.on("error", () => undefined);
  let timer: NodeJS.Timeout | undefined;
  const kill = () => {
    leash.end();
    leash.destroy();
  };
  const ended = new Promise<number>((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      kill();
      done(code ?? (signal === "SIGKILL" ? 137 : 143));
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
