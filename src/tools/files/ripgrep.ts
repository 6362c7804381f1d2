// Runs ripgrep in its own process. ripgrep matches in linear time, so no pattern can block the event loop (A65).
// ripgrep opens files by path, so a folder that is swapped for a link might lead it outside the workspace.
// Before callers show a found file, they therefore read it again through an `OpenFolder`, which follows no links (A35).

import { spawn } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { rgPath } from "@vscode/ripgrep";
import { messageOf } from "../../errors.ts";
import type { OpenFolder } from "./open-folder.ts";

const TIME_LIMIT = 30_000;
const MAX_RECORD = 64 * 1024;
const BUSY_MS = 20;

export interface RipgrepRun {
  args: readonly string[];
  folder: OpenFolder;
  /** Character that separates two records of the output. */
  separator: "\n" | "\0";
  signal: AbortSignal;
  /** Called for each record. If it returns false, the search ends. */
  onRecord: (record: string) => boolean;
}

/** `unread` is true if some files could not be searched. */
export type RipgrepEnd = { ok: true; complete: boolean; unread: boolean } | { ok: false; why: string };

export async function ripgrep({
  args,
  folder,
  separator,
  signal,
  onRecord,
}: RipgrepRun): Promise<RipgrepEnd> {
  if (signal.aborted) return { ok: false, why: "cancelled" };
  const limit = AbortSignal.timeout(TIME_LIMIT);
  const child = spawn(rgPath, ["--no-config", "--color=never", "--no-messages", "--no-follow", ...args], {
    cwd: folder.path,
    stdio: ["ignore", "pipe", "pipe"],
    env: {},
    signal: AbortSignal.any([signal, limit]),
    killSignal: "SIGKILL",
  });
  // If the system has no free descriptors or processes, Node returns a child without streams and emits the error later.
  // An error without a listener would end the Cadre process.
  child.once("error", () => {});
  if (!child.stdout) return { ok: false, why: "no more files or processes can be opened" };
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    complaint = (complaint + chunk).slice(0, 2_000);
  });
  const failed = new Promise<string>((done) => child.once("error", (error) => done(messageOf(error))));
  const closed = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  let stopped = false;
  for await (const record of records(child.stdout.setEncoding("utf8"), separator)) {
    if (onRecord(record)) continue;
    stopped = true;
    child.kill("SIGKILL");
    break;
  }
  const code = await Promise.race([closed, failed]);
  if (signal.aborted) return { ok: false, why: "cancelled" };
  if (limit.aborted) return { ok: false, why: `stopped after ${TIME_LIMIT / 1000} s: search a smaller part` };
  if (stopped) return { ok: true, complete: false, unread: false };
  // Messages about files are turned off, so exit code 2 without a message means a missing or unreadable file.
  const unread = code === 2 && complaint === "";
  if (code === 0 || code === 1 || unread) return { ok: true, complete: true, unread };
  return {
    ok: false,
    why: typeof code === "string" ? code : complaint.trim() || `ripgrep ended with ${code}`,
  };
}

/** Yields to the event loop from time to time, because a chunk can contain thousands of records. */
async function* records(chunks: AsyncIterable<string>, separator: string): AsyncGenerator<string> {
  let rest = "";
  let since = performance.now();
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split(separator);
    rest = parts.pop()!.slice(0, MAX_RECORD);
    for (const part of parts) {
      yield part;
      if (performance.now() - since < BUSY_MS) continue;
      await setImmediate();
      since = performance.now();
    }
  }
  if (rest !== "") yield rest;
}
