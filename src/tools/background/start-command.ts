// Starts a command in the background: writes what to run, starts the watcher, and answers with the first output.

import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../errors.ts";
import { boundOutput, CONTEXT_BYTES, refusal, savedOutputName } from "../answers.ts";
import type { Confinement } from "../sandbox/confine.ts";
import type { ProbeContext, ProbeResult, ToolAnswer, ToolContext } from "../tool.ts";
import { isOver, stateText, stopCommand } from "./background-commands.ts";
import {
  type CommandState,
  claim,
  commandFolder,
  commandsFolder,
  prepareFolder,
  readOutput,
  stateOf,
} from "./command-folder.ts";

/** Each attempt of a call gets its own command id. */
const commandId = (callId: string, attempt: number): string =>
  attempt > 1 ? `${callId}~${attempt}` : callId;

/** Maximum number of commands that one run can have in the background at the same time. */
const MAX_RUNNING = 10;
/** Time limit in milliseconds for the watcher to start the command. */
const START_MS = 30_000;
/** Milliseconds to wait for the first output, so that the answer shows whether the command fails immediately. */
const FIRST_MS = 2_000;
const QUIET_MS = 300;
const LOOK_MS = 50;

export interface BashSetup extends Confinement {
  /** Path of the program that watches background commands. If absent, commands cannot run in the background. */
  watcher?: string;
}

export async function startInBackground(
  options: { command: string; env: NodeJS.ProcessEnv; timeout: number; keep: boolean },
  context: ToolContext,
  setup: BashSetup,
): Promise<ToolAnswer> {
  const { watcher, isProtected: _, named, keyFiles, ...confinement } = setup;
  if (watcher === undefined) return refusal("there are no background commands here; nothing was run");
  const { workspace, runId, callId, attempt, effect = "unsafe", approved } = context;
  const { stateFolder } = confinement;
  const id = commandId(callId, attempt);
  const folder = commandFolder(stateFolder, runId, id);
  const earlier = await adoptEarlier(context, stateFolder);
  if (earlier) return answerAbout(earlier, options, context, stateFolder);
  const running = await runningCommands(stateFolder, runId);
  if (running.length >= MAX_RUNNING)
    return refusal(
      `${MAX_RUNNING} background commands are running already (${running.join(", ")}): stop one with BashOutput; nothing was run`,
    );
  try {
    const env = Object.fromEntries(
      Object.entries(options.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const call = { workspace, runId, callId, attempt, effect, ...(approved ? { approved } : {}) };
    const { sandbox, ...folders } = confinement;
    const network = typeof sandbox.network === "string" ? sandbox.network : [...sandbox.network];
    const kept = {
      ...folders,
      sandbox: { ...sandbox, network, write: [...sandbox.write] },
      named: [...(named?.() ?? [])],
      keyFiles: effect === "read" ? [...(keyFiles?.(workspace) ?? [])] : [],
    };
    // `notes.end` is not called: if the journal does not record the start, the probe finds the command.
    await context.notes?.begin();
    await prepareFolder(folder, { ...options, env, call, confinement: kept });
    startWatcher(watcher, folder, env);
  } catch (error) {
    await claim(folder, "revoked").catch(() => undefined);
    return refusal(`bash could not be started (${messageOf(error)}); nothing was run`);
  }
  return answerAbout(id, options, context, stateFolder);
}

/** P4: returns the running command of an earlier attempt. If an earlier attempt has not started its command yet, it is kept from doing so. */
async function adoptEarlier(
  { runId, callId, attempt }: ToolContext,
  stateFolder: string,
): Promise<string | undefined> {
  for (let before = attempt - 1; before > 0; before--) {
    const id = commandId(callId, before);
    const folder = commandFolder(stateFolder, runId, id);
    const revoked = await claim(folder, "revoked").catch(() => true);
    if (!revoked && !isOver(await stateOf(folder))) return id;
  }
  return undefined;
}

async function answerAbout(
  id: string,
  { command, keep }: { command: string; keep: boolean },
  { runId, signal }: ToolContext,
  stateFolder: string,
): Promise<ToolAnswer> {
  const folder = commandFolder(stateFolder, runId, id);
  const state = await untilStarted(folder, signal);
  if (state.at === "starting" || state.at === "gone")
    return refusal("the command could not be started in the background; nothing was run");
  const { text, upTo, now } = await firstOutput(folder, signal);
  const over = isOver(now);
  const more = over
    ? ""
    : `\nBashOutput ${id} waits for more, with stop it ends the command; BashInput writes to it; Read and Grep ${savedOutputName(id)} show all of it.`;
  return {
    output: `${shownOutput(text)}[background command ${id} ${stateText(now)}]${notesOf(now)}${more}`,
    background: {
      ...{ id, command: command.slice(0, 200), upTo },
      ...(state.at === "running" ? { pid: state.identity.pid, start: state.identity.start } : {}),
      ...(over ? { ended: true as const } : {}),
      ...(keep ? { keep: true as const } : {}),
    },
    ...(state.at === "running" ? { sandbox: state.sandbox } : {}),
    ...(hasFailed(now) ? { isError: true } : {}),
  };
}

/** The watcher gets the command's environment, which has no secrets. It inherits no open file of this process. */
function startWatcher(watcher: string, folder: string, env: Record<string, string>): void {
  const child = spawn(process.execPath, [watcher, folder], {
    cwd: "/",
    env,
    detached: true,
    stdio: "ignore",
  });
  // If the watcher cannot be started, its claim never appears.
  child.once("error", () => undefined);
  child.unref();
}

async function untilStarted(folder: string, signal: AbortSignal): Promise<CommandState> {
  const until = performance.now() + START_MS;
  for (;;) {
    const state = await stateOf(folder);
    if (state.at !== "starting") return state;
    if (signal.aborted || performance.now() > until) {
      if (await claim(folder, "revoked")) return { at: "gone" };
      return stopCommand(folder);
    }
    await sleep(LOOK_MS);
  }
}

async function firstOutput(folder: string, signal: AbortSignal) {
  const until = performance.now() + FIRST_MS;
  let size = -1;
  let changed = performance.now();
  for (;;) {
    const now = await stateOf(folder);
    const { text, upTo } = await readOutput(folder);
    const time = performance.now();
    if (upTo !== size) [size, changed] = [upTo, time];
    const isQuiet = upTo > 0 && time - changed > QUIET_MS;
    if (isOver(now) || isQuiet || time > until || signal.aborted) return { now, text, upTo };
    await sleep(LOOK_MS);
  }
}

/** Length reserved for the sentences about the command, so that the answer is not cut a second time. */
const STATE_CHARACTERS = 2_000;

export function shownOutput(text: string): string {
  const body = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return boundOutput(body, CONTEXT_BYTES - STATE_CHARACTERS).text;
}

export const notesOf = (state: CommandState): string =>
  state.at === "ended" ? state.end.notes.map((note) => `\n${note}`).join("") : "";

export const hasFailed = (state: CommandState): boolean =>
  state.at === "lost" || (state.at === "ended" && (state.end.code !== 0 || state.end.why !== undefined));

async function runningCommands(stateFolder: string, runId: string): Promise<string[]> {
  const ids = await readdir(join(commandsFolder(stateFolder), runId)).catch(() => [] as string[]);
  const states = await Promise.all(ids.map((id) => stateOf(commandFolder(stateFolder, runId, id))));
  return ids.filter((_, index) => states[index]!.at === "running" || states[index]!.at === "starting");
}

/** Whether an interrupted call has started its command. */
export async function probeBackground(
  { runId, callId, attempt }: ProbeContext,
  { stateFolder }: Pick<BashSetup, "stateFolder">,
): Promise<ProbeResult> {
  const id = commandId(callId, attempt);
  const folder = commandFolder(stateFolder, runId, id);
  const state = await stateOf(folder);
  if (state.at === "gone")
    return { found: "not_done", evidence: [`The background command ${id} was never started.`] };
  if (state.at === "starting")
    return { found: "cannot_tell", evidence: [`The background command ${id} was about to be started.`] };
  return { found: "done", evidence: [`The background command ${id} ${stateText(state)}.`] };
}
