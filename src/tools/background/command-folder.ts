// The folder of a background command. It is the only link between the tool, the watching process, and a later Cadre process.
//   spec.json     what to run; written before the watcher starts
//   claim.json    which process watches the command. Only the process that creates this file decides whether the command ever runs
//   running.json  the command has been started
//   out-<offset>  its output, in segments: the first megabyte and the latest ones are kept
//   input         lines of JSON, each with text for the command
//   stop          asks the watcher to end the command
//   end.json      how the command ended
// Cadre never sends a signal to a pid, because a recycled pid could belong to another program. The watcher ends its own child.

import { link, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Effect } from "../../journal/definition.ts";
import { showControls } from "../shell/collect-output.ts";
import { isRunning, isThisBoot, type ProcessIdentity, ProcessIdentityShape } from "./process-identity.ts";

export const Spec = z.object({
  command: z.string(),
  env: z.record(z.string(), z.string()),
  timeout: z.number(),
  /** True if the command keeps running after its run has ended. */
  keep: z.boolean(),
  /** Information for the sandbox about the call that started the command. */
  call: z.object({
    workspace: z.string(),
    runId: z.string(),
    callId: z.string(),
    attempt: z.int(),
    effect: Effect,
    approved: z.literal(true).optional(),
  }),
  confinement: z.object({
    sandbox: z.object({
      driver: z.enum(["auto", "none", "bwrap", "srt"]),
      network: z.union([z.enum(["approved", "on", "off"]), z.array(z.string())]),
      write: z.array(z.string()),
    }),
    folder: z.string(),
    stateFolder: z.string(),
    /** Files that the configuration names. They are protected. */
    named: z.array(z.string()).default([]),
    /** Files with keys, as absolute paths. A search that only reads sees them empty. */
    keyFiles: z.array(z.string()).default([]),
  }),
});
export type Spec = z.infer<typeof Spec>;

export const Running = z.object({ sandbox: z.string(), at: z.number() });

export const End = z.object({
  code: z.int().optional(),
  /** Why the command was ended, or why it could not be started. */
  why: z.string().optional(),
  notes: z.array(z.string()),
  seconds: z.number(),
});
export type End = z.infer<typeof End>;

export type CommandState =
  | { at: "starting" }
  | { at: "running"; identity: ProcessIdentity; sandbox: string; since: number }
  | { at: "ended"; end: End }
  /** The watcher died, and the command died with it. */
  | { at: "lost"; why: "machine" | "watcher" }
  | { at: "gone" };

export const commandsFolder = (stateFolder: string): string => join(stateFolder, "commands");

export const commandFolder = (stateFolder: string, runId: string, id: string): string =>
  join(commandsFolder(stateFolder), runId, id);

export async function prepareFolder(folder: string, spec: Spec): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeWhole(folder, "spec.json", spec);
}

/** Claims the right to decide about the command. Returns false if another process has claimed it. */
export async function claim(folder: string, identity: ProcessIdentity | "revoked"): Promise<boolean> {
  const draft = join(folder, `claim.${process.pid}`);
  await writeFile(draft, JSON.stringify(identity), { mode: 0o600 });
  try {
    await link(draft, join(folder, "claim.json"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Replaces a file in one step, so that a reader never sees half of it. */
export async function writeWhole(folder: string, name: string, value: unknown): Promise<void> {
  const draft = join(folder, `${name}.${process.pid}`);
  await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
  await rename(draft, join(folder, name));
}

export async function readPart<T>(folder: string, name: string, shape: z.ZodType<T>): Promise<T | undefined> {
  try {
    return shape.parse(JSON.parse(await readFile(join(folder, name), "utf8")));
  } catch {
    return undefined;
  }
}

const Claim = z.union([ProcessIdentityShape, z.literal("revoked")]);

export async function stateOf(folder: string): Promise<CommandState> {
  const end = await readPart(folder, "end.json", End);
  if (end) return { at: "ended", end };
  const identity = await readPart(folder, "claim.json", Claim);
  if (identity === "revoked") return { at: "gone" };
  if (!identity) return (await readPart(folder, "spec.json", Spec)) ? { at: "starting" } : { at: "gone" };
  if (await isRunning(identity)) {
    const running = await readPart(folder, "running.json", Running);
    return running
      ? { at: "running", identity, sandbox: running.sandbox, since: running.at }
      : { at: "starting" };
  }
  // The watcher might have recorded the end just before it exited.
  const late = await readPart(folder, "end.json", End);
  if (late) return { at: "ended", end: late };
  return { at: "lost", why: (await isThisBoot(identity)) ? "watcher" : "machine" };
}

export async function askToStop(folder: string): Promise<void> {
  await writeFile(join(folder, "stop"), "", { mode: 0o600 }).catch(() => undefined);
}

export interface Typed {
  text: string;
  /** True if the command gets no further input after this text. */
  close?: boolean | undefined;
}

/** Sends text to the command. The watcher passes on each line of the file once. */
export async function sendInput(folder: string, typed: Typed): Promise<void> {
  const file = await open(join(folder, "input"), "a", 0o600);
  try {
    await file.appendFile(`${JSON.stringify(typed)}\n`);
  } finally {
    await file.close();
  }
}

/** The output is split into files. Cadre keeps the first file and the latest ones. */
export const HEAD_BYTES = 1024 * 1024;
export const SEGMENT_BYTES = 2 * 1024 * 1024;
export const KEPT_SEGMENTS = 2;

const SEGMENT = /^out-(\d+)$/;

export const segmentName = (offset: number): string => `out-${offset}`;

/** The offsets of the existing segments, in order. */
export async function segmentsOf(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names
    .flatMap((name) => SEGMENT.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

export interface OutputPart {
  text: string;
  /** The position after this part, in bytes of the whole output. */
  upTo: number;
}

/** Reads the output from a position on. Where output was deleted, the text says how many bytes are missing. */
export async function readOutput(folder: string, from = 0): Promise<OutputPart> {
  const parts: string[] = [];
  let at = from;
  for (const start of await segmentsOf(folder)) {
    const bytes = await readFile(join(folder, segmentName(start))).catch(() => undefined);
    if (!bytes || start + bytes.length <= at) continue;
    if (start > at) parts.push(`\n… ${start - at} bytes are no longer kept …\n`);
    const rest = bytes.subarray(Math.max(0, at - start));
    const whole = rest.subarray(0, completeLength(rest));
    parts.push(showControls(whole.toString()));
    at = start + (bytes.length - rest.length) + whole.length;
  }
  return { text: parts.join(""), upTo: at };
}

/** The number of bytes without an incomplete character at the end. */
function completeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
