// Watches one background command in a separate process that outlives Cadre: its output, its input, its time limit and its end.
// If the watcher is killed, the supervisor below it kills the command (`shell/supervise.ts`), so no command runs unwatched.

import { closeSync, openSync, readFileSync, rmSync, watch, writeSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import { type Confined, confine } from "../sandbox/confine.ts";
import { killedNote, type SupervisedProcess, supervise, supervisorArgv } from "../shell/supervise.ts";
import {
  claim,
  type End,
  HEAD_BYTES,
  KEPT_SEGMENTS,
  readPart,
  SEGMENT_BYTES,
  Spec,
  segmentName,
  type Typed,
  writeWhole,
} from "./command-folder.ts";
import { ownIdentity } from "./process-identity.ts";

/** Resolves when the command has ended and its end is recorded. */
export async function watchCommand(folder: string, isProtected: (path: string) => boolean): Promise<void> {
  const spec = await readPart(folder, "spec.json", Spec);
  if (!spec || !(await claim(folder, await ownIdentity()))) return;
  const started = performance.now();
  const end = await runCommand(folder, spec, isProtected).catch((error: unknown) => ({
    why: `it could not be started (${messageOf(error)}); nothing was run`,
    notes: [],
  }));
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  // If the folder was removed, no process needs the record of the end.
  await writeWhole(folder, "end.json", { ...end, seconds } satisfies End).catch(() => undefined);
}

async function runCommand(
  folder: string,
  { command, env, timeout, call: { approved, ...call }, confinement }: Spec,
  isProtected: (path: string) => boolean,
): Promise<Omit<End, "seconds">> {
  const callId = `${call.runId}:${call.callId}:${call.attempt}`;
  const setup = {
    ...confinement,
    isProtected,
    named: () => confinement.named,
    keyFiles: () => confinement.keyFiles,
  };
  const context = { ...call, ...(approved ? { approved } : {}) };
  const confined = await confine(supervisorArgv(command, callId), { command, env, context, setup });
  if ("problem" in confined) return { why: confined.problem, notes: [] };
  try {
    const run = supervise({ argv: confined.argv, env: confined.env, cwd: call.workspace, input: true });
    await writeWhole(folder, "running.json", { sandbox: confined.sandbox, at: Date.now() });
    return await follow(folder, run, timeout, confined);
  } finally {
    confined.release();
  }
}

async function follow(
  folder: string,
  run: SupervisedProcess,
  timeout: number,
  confined: Confined,
): Promise<Omit<End, "seconds">> {
  const output = keepOutput(folder);
  let last = "";
  run.output.on("data", (chunk: Buffer) => {
    last = (last + chunk.toString("latin1")).slice(-4_000);
    output.add(chunk);
  });
  run.input?.on("error", () => undefined);
  const closed = new Promise<void>((done) => run.output.once("close", done));
  let why: string | undefined;
  const stop = (reason: string) => {
    if (why !== undefined) return;
    why = reason;
    run.stop();
  };
  const timer = setTimeout(() => stop(`ended at its time limit of ${timeout / 1000} s`), timeout);
  const stopListening = listen(folder, {
    typed: ({ text, close }) => {
      if (text !== "") run.input?.write(text);
      if (close) run.input?.end();
    },
    stop: () => stop("stopped"),
    gone: () => stop("its folder was removed"),
  });
  try {
    const ended = await run.ended;
    await Promise.race([closed, new Promise((late) => setTimeout(late, 1_000))]);
    const failed = ended.code !== 0 || why !== undefined;
    const checked = await confined
      .checkAfterwards(failed ? last : "")
      .catch((error: unknown) => [`Mind: what it has left could not be looked at (${messageOf(error)}).`]);
    const notes = [
      ...(why ? [] : killedNote(ended)),
      ...(ended.left ? [`Mind: ${ended.left}.`] : []),
      ...checked,
    ];
    return { code: ended.code, notes, ...(why === undefined ? {} : { why }) };
  } finally {
    clearTimeout(timer);
    stopListening();
    output.close();
    run.output.destroy();
  }
}

/** Writes the output into segments, and removes old ones. */
function keepOutput(folder: string): { add(chunk: Buffer): void; close(): void } {
  let size = 0;
  let left = HEAD_BYTES;
  let file: number | undefined;
  const tail: number[] = [];
  const next = () => {
    if (file !== undefined) closeSync(file);
    file = openSync(join(folder, segmentName(size)), "a", 0o600);
    if (size === 0) return;
    left = SEGMENT_BYTES;
    tail.push(size);
    if (tail.length > KEPT_SEGMENTS) rmSync(join(folder, segmentName(tail.shift()!)), { force: true });
  };
  return {
    add(chunk) {
      try {
        for (let rest = chunk; rest.length > 0; ) {
          if (file === undefined || left === 0) next();
          const part = rest.subarray(0, left);
          writeSync(file!, part);
          size += part.length;
          left -= part.length;
          rest = rest.subarray(part.length);
        }
      } catch {
        // If the disk is full or the folder was removed, the output is lost, but the command continues.
      }
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}

const LOOK_MS = 250;

/** Reads the folder after each change, and also at intervals, because not every file system reports changes. */
function listen(folder: string, hear: { typed(typed: Typed): void; stop(): void; gone(): void }): () => void {
  let read = 0;
  const look = () => {
    let text = "";
    try {
      text = readFileSync(join(folder, "input"), "utf8");
    } catch {
      // The file does not exist before the first input.
    }
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    const lines = whole
      .slice(read)
      .split("\n")
      .filter((line) => line !== "");
    read = whole.length;
    for (const line of lines) hear.typed(JSON.parse(line) as Typed);
    access(join(folder, "stop")).then(hear.stop, () => undefined);
    access(folder).catch(hear.gone);
  };
  const timer = setInterval(look, LOOK_MS);
  let watcher: ReturnType<typeof watch> | undefined;
  try {
    watcher = watch(folder, (_, name) => {
      if (name === "input" || name === "stop") look();
    });
    watcher.on("error", () => undefined);
  } catch {
    // If the system reports no changes, the timer alone is enough.
  }
  look();
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
}
