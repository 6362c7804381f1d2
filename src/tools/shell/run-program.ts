// Runs a configured command without a shell or input, in its own process group, with a time limit and bounded output.
// Processes that the command leaves behind keep running, because a restarted service is such a process.

import { type ChildProcess, spawn } from "node:child_process";
import { boundOutput } from "../answers.ts";
import { collectOutput } from "./collect-output.ts";

export interface ProgramResult {
  /** The exit code. If a signal ended the command, the code is 128 plus the signal's number, as in a shell. */
  code: number;
  /** The head and tail of the command's output. */
  text: string;
  /** Why the command was stopped early. */
  stopped?: string;
  /** Why the command could not be started. Nothing was done in this case. */
  failed?: string;
  seconds: string;
}

export interface ProgramOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeout: number;
  signal: AbortSignal;
}

const GRACE_MS = 2_000;
const OUTPUT_GRACE_MS = 200;
const MAX_TEXT = 8_000;

export async function runProgram(
  argv: readonly string[],
  { cwd, env, timeout, signal }: ProgramOptions,
): Promise<ProgramResult> {
  const started = performance.now();
  const seconds = (): string => ((performance.now() - started) / 1000).toFixed(1);
  const [program, ...rest] = argv;
  let child: ChildProcess;
  try {
    child = spawn(program!, rest, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    return { code: -1, text: "", failed: reasonOf(error), seconds: seconds() };
  }
  const output = collectOutput();
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => output.add(chunk));
  let stopped: string | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (why: string): void => {
    stopped ??= why;
    signalGroup(child, "SIGTERM");
    kill ??= setTimeout(() => signalGroup(child, "SIGKILL"), GRACE_MS);
  };
  const timer = setTimeout(() => stop("ended at its time limit"), timeout);
  const onAbort = (): void => stop("cancelled");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const code = await endOf(child);
    return {
      code,
      text: boundOutput(output.text(), MAX_TEXT).text,
      ...(stopped ? { stopped } : {}),
      seconds: seconds(),
    };
  } catch (error) {
    return { code: -1, text: "", failed: reasonOf(error), seconds: seconds() };
  } finally {
    clearTimeout(timer);
    clearTimeout(kill);
    signal.removeEventListener("abort", onAbort);
    if (stopped) signalGroup(child, "SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

/** Waits for the exit, but only briefly for the pipes, because a started service might keep them open forever. */
function endOf(child: ChildProcess): Promise<number> {
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => {
      const result = code ?? (signal === "SIGKILL" ? 137 : 143);
      const late = setTimeout(() => done(result), OUTPUT_GRACE_MS);
      child.once("close", () => {
        clearTimeout(late);
        done(result);
      });
    });
  });
}

function signalGroup({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process group has already ended.
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? "there is no such program" : (code ?? message);
}
