// Runs the command of one hook: JSON on its standard input, a time limit, bounded output, no secrets in its environment.
// The command has its own process group. A small shell kills the group when the pipe between Cadre and the shell closes.
// The pipe closes when the command has ended, when its time is over, and when Cadre dies.

import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { messageOf } from "../../errors.ts";

export interface HookRun {
  /** The exit code. Absent if the command was not started, or was stopped. */
  code?: number;
  stdout: string;
  stderr: string;
  /** The reason why the command has no exit code, or no usable output. */
  problem?: string;
  ms: number;
}

export interface HookProcess {
  command: string;
  input: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Maximum number of characters to keep of each output. */
const MAX_OUTPUT = 64_000;
const OUTPUT_GRACE_MS = 500;

/** The shell's own messages about its jobs must not mix with the command's errors. */
const GUARD = `exec 4>&2 2>/dev/null
set -m
bash --norc --noprofile -c "$1" 2>&4 3<&- 4>&- &
group=$!
exec 4>&-
{ read -r _ <&3; kill -KILL -- "-$group"; } </dev/null >/dev/null 2>&1 &
watcher=$!
wait "$group"
code=$?
kill -KILL -- "-$group" "-$watcher"
exit "$code"`;

export async function runHook(hook: HookProcess): Promise<HookRun> {
  const started = performance.now();
  const { command, cwd, env, input, timeoutMs, signal } = hook;
  const stdout = collect();
  const stderr = collect();
  const done = (end: Pick<HookRun, "code" | "problem">): HookRun => {
    const ms = Math.round(performance.now() - started);
    const problem =
      end.problem ?? (stdout.isCut() ? `it wrote more than ${MAX_OUTPUT} characters` : undefined);
    return {
      ...end,
      ...(problem === undefined ? {} : { problem }),
      stdout: stdout.text(),
      stderr: stderr.text(),
      ms,
    };
  };
  if (signal.aborted) return done({ problem: "it was not started, because the run was stopped" });
  let child: ChildProcess;
  try {
    child = spawn("bash", ["--norc", "--noprofile", "-c", GUARD, "cadre-hook", command], {
      ...{ cwd, env, detached: true },
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    return done({ problem: `it could not be started: ${messageOf(error)}` });
  }
  return new Promise((resolve) => {
    let stopped: string | undefined;
    const leash = child.stdio?.[3] as Duplex | undefined;
    const stop = (why: string): void => {
      stopped ??= why;
      leash?.end();
      leash?.destroy();
    };
    const onAbort = (): void => stop("it was stopped together with the run");
    const timer = setTimeout(
      () => stop(`it was killed after ${timeoutMs / 1000} s, its time limit`),
      timeoutMs,
    );
    signal.addEventListener("abort", onAbort, { once: true });
    const finish = (end: Pick<HookRun, "code" | "problem">): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      leash?.destroy();
      resolve(done(stopped === undefined ? end : { problem: stopped }));
    };
    child.once("error", (error) => finish({ problem: `it could not be started: ${messageOf(error)}` }));
    child.once("exit", (code, by) => {
      const end = code === null ? { problem: `it was killed by ${by ?? "a signal"}` } : { code };
      // A process that left the group might keep the pipes open forever.
      const late = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, OUTPUT_GRACE_MS);
      child.once("close", () => {
        clearTimeout(late);
        finish(end);
      });
    });
    // The command may end without reading its input, or close a pipe early.
    for (const stream of [child.stdin, leash]) stream?.on("error", () => {});
    child.stdout?.on("data", (chunk: Buffer) => stdout.add(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr.add(chunk));
    child.stdin?.end(input);
  });
}

/** Keeps the beginning of an output. All further output is read and dropped, so that the command does not block. */
function collect() {
  const decoder = new TextDecoder();
  let text = "";
  let hasMore = false;
  return {
    add(chunk: Buffer): void {
      if (text.length < MAX_OUTPUT) text += decoder.decode(chunk, { stream: true });
      else hasMore = true;
      if (text.length <= MAX_OUTPUT) return;
      hasMore = true;
      text = text.slice(0, MAX_OUTPUT);
    },
    text: () => text.toWellFormed(),
    isCut: () => hasMore,
  };
}
