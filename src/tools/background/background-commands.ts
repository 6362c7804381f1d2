// Gives the loop access to background commands: their state, their output, and how to end them together with their run.

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BackgroundCommands } from "../tool.ts";
import {
  askToStop,
  type CommandState,
  claim,
  commandFolder,
  commandsFolder,
  type End,
  readOutput,
  readPart,
  Spec,
  stateOf,
} from "./command-folder.ts";

const STOP_MS = 15_000;

export function createBackgroundCommands(stateFolder: string): BackgroundCommands {
  const all = commandsFolder(stateFolder);
  const stopRun = async (runId: string): Promise<void> => {
    // Most runs have no commands. Checking for the folder costs less than an error about a missing folder.
    if (!existsSync(join(all, runId))) return;
    const ids = await readdir(join(all, runId)).catch(() => [] as string[]);
    const kept = await Promise.all(ids.map((id) => endCommand(commandFolder(stateFolder, runId, id))));
    if (ids.length > 0 && !kept.includes("kept"))
      await rm(join(all, runId), { recursive: true, force: true });
  };
  return {
    async look(runId, id) {
      const state = await stateOf(commandFolder(stateFolder, runId, id));
      return { isOver: isOver(state), text: stateText(state) };
    },
    async output(runId, id) {
      const folder = commandFolder(stateFolder, runId, id);
      if ((await stateOf(folder)).at === "gone") return undefined;
      return (await readOutput(folder)).text;
    },
    stopRun,
    async sweep(hasEnded) {
      for (const runId of await readdir(all).catch(() => [] as string[]))
        if (await hasEnded(runId)) await stopRun(runId);
    },
  };
}

async function endCommand(folder: string): Promise<"kept" | "ended"> {
  const spec = await readPart(folder, "spec.json", Spec);
  // A command that no watcher has claimed must not start later.
  const revoked = await claim(folder, "revoked").catch(() => true);
  if (revoked || isOver(await stateOf(folder))) return "ended";
  if (spec?.keep) return "kept";
  await stopCommand(folder);
  return "ended";
}

/** Asks the watcher to end the command, and waits until the command has ended. */
export async function stopCommand(folder: string): Promise<CommandState> {
  await askToStop(folder);
  const until = performance.now() + STOP_MS;
  let state = await stateOf(folder);
  while (!isOver(state) && performance.now() < until) {
    await sleep(50);
    state = await stateOf(folder);
  }
  return state;
}

export const isOver = ({ at }: CommandState): boolean => at === "ended" || at === "lost" || at === "gone";

/** Describes the command's state in words that complete a sentence, such as "is still running". */
export function stateText(state: CommandState): string {
  switch (state.at) {
    case "starting":
      return "is being started";
    case "running":
      return "is still running";
    case "ended":
      return endText(state.end);
    case "lost":
      return state.why === "machine"
        ? "was killed when the machine went down; it is not known how far it came"
        : "was killed together with the process that watched it; it is not known how far it came";
    case "gone":
      return "is no longer there: nothing is kept of it";
  }
}

function endText({ code, why, seconds }: End): string {
  if (code === undefined) return `did not run: ${why}`;
  return why === undefined
    ? `has ended with exit code ${code} after ${seconds} s`
    : `was ended after ${seconds} s: ${why}`;
}
