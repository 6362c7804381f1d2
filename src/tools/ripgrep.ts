// Runs ripgrep: linear-time matching in a process of its own, so no pattern can hold up the event loop (A65).

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { rgPath } from "@vscode/ripgrep";
import { messageOf } from "../errors.ts";

const TIME_LIMIT = 30_000;

export interface RipgrepRun {
  args: readonly string[];
  cwd: string;
  signal: AbortSignal;
  /** Called for each line; answering false ends the search. */
  onLine: (line: string) => boolean;
}

export type RipgrepEnd = { ok: true; complete: boolean } | { ok: false; why: string };

export async function ripgrep({ args, cwd, signal, onLine }: RipgrepRun): Promise<RipgrepEnd> {
  if (signal.aborted) return { ok: false, why: "cancelled" };
  const limit = AbortSignal.timeout(TIME_LIMIT);
  const child = spawn(rgPath, ["--no-config", "--color=never", "--no-messages", ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: {},
    signal: AbortSignal.any([signal, limit]),
    killSignal: "SIGKILL",
  });
  // Out of files or processes, Node gives a child without streams, and its error comes later: unheard it ends the process.
  child.once("error", () => {});
  if (!child.stdout) return { ok: false, why: "no more files or processes can be opened" };
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    complaint = (complaint + chunk).slice(0, 2_000);
  });
  const failed = new Promise<string>((done) => child.once("error", (error) => done(messageOf(error))));
  const closed = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  let stopped = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (onLine(line)) continue;
    stopped = true;
    child.kill("SIGKILL");
    break;
  }
  const code = await Promise.race([closed, failed]);
  if (signal.aborted) return { ok: false, why: "cancelled" };
  if (limit.aborted) return { ok: false, why: `stopped after ${TIME_LIMIT / 1000} s: search a smaller part` };
  if (stopped) return { ok: true, complete: false };
  if (code === 0 || code === 1) return { ok: true, complete: true };
  return {
    ok: false,
    why: typeof code === "string" ? code : complaint.trim() || `ripgrep ended with ${code}`,
  };
}
