// Shows the new output of a background command, waits for it, or ends the command.

import { setTimeout as sleep } from "node:timers/promises";
import type { RE2JS } from "re2js";
import { z } from "zod";
import { compileBounded } from "../bounded-pattern.ts";
import { BASH } from "../projections/folds/tool-call.ts";
import { refusal, savedOutputName } from "./answers.ts";
import { isOver, stateText, stopCommand } from "./background/background-commands.ts";
import { commandFolder, readOutput, stateOf } from "./background/command-folder.ts";
import { hasFailed, notesOf, shownOutput } from "./background/start-command.ts";
import type { Confinement } from "./sandbox/confine.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const DEFAULT_WAIT = 5_000;
const MAX_WAIT = 600_000;
const QUIET_MS = 300;
const LOOK_MS = 100;

export const bashOutputTool = ({ stateFolder }: Pick<Confinement, "stateFolder">) =>
  defineTool({
    name: "BashOutput",
    description:
      "Shows what a background command has written since you last saw it. Can wait for a text or its end, and can stop it.",
    input: z.strictObject({
      id: z.string().min(1).max(50).describe("The command's id, such as m3.1"),
      wait: z
        .int()
        .min(0)
        .max(MAX_WAIT)
        .optional()
        .describe("Milliseconds to wait for new output or the end, 5000 by default"),
      until: z
        .string()
        .min(1)
        .max(1_000)
        .optional()
        .describe("Wait until the whole output matches this regular expression"),
      stop: z.boolean().optional().describe("End the command first"),
    }),
    effect: "read",
    // Ending a command needs no permission, because the command was allowed when it was started.
    reaches: [],
    partOf: BASH,
    timeout: MAX_WAIT + 30_000,
    aliases: ["TaskOutput", "KillShell", "KillBash", "TaskStop"],

    async execute({ id, wait = DEFAULT_WAIT, until, stop }, context) {
      const found = await findCommand(id, context);
      if ("problem" in found) return refusal(found.problem);
      const matcher = until === undefined ? undefined : matcherOf(until);
      if (matcher === "unreadable")
        return refusal(
          `${JSON.stringify(until)} is not a regular expression, or too costly to search for: correct it, or leave until out`,
        );
      const folder = commandFolder(stateFolder, found.runId, id);
      if (stop) await stopCommand(folder);
      const { state, text, upTo, isMatched } = await newOutput(
        folder,
        found.upTo,
        { wait, matcher },
        context.signal,
      );
      const over = isOver(state);
      const missed = matcher && !over && !isMatched ? `; ${JSON.stringify(until)} has not come` : "";
      const whole = `\n(the whole output: Read or Grep ${savedOutputName(id)})`;
      const shown = text === "" ? "(no new output)\n" : shownOutput(text);
      const isCut = shown.length < text.length;
      return {
        output: `${shown}[background command ${id} ${stateText(state)}${missed}]${notesOf(state)}${isCut ? whole : ""}`,
        background: {
          ...{ id, upTo },
          ...(found.runId === context.runId ? {} : { runId: found.runId, command: found.command }),
          ...(over ? { ended: true as const } : {}),
        },
        ...(hasFailed(state) && !stop ? { isError: true } : {}),
      };
    },
  });

/** Returns the command with this id, or a sentence that lists the existing commands. */
export async function findCommand(id: string, { background }: Pick<ToolContext, "background">) {
  const all = (await background?.()) ?? new Map();
  const known = all.get(id);
  if (known) return known;
  const others = [...all].map(([other, { command }]) => `${other} (${command.slice(0, 60)})`);
  const hint =
    others.length === 0
      ? "none was started; start one with Bash and background"
      : `there are ${others.join(", ")}`;
  return { problem: `there is no background command ${id}: ${hint}` };
}

async function newOutput(
  folder: string,
  from: number,
  { wait, matcher }: { wait: number; matcher: RE2JS | undefined },
  signal: AbortSignal,
) {
  const end = performance.now() + wait;
  let size = from;
  let changed = performance.now();
  // The awaited text might be in output that the model has already seen.
  const cameBefore = from > 0 && matcher?.matcher((await readOutput(folder)).text).find();
  for (;;) {
    // Read the state before the output. In the other order, output just before the command's end could be missed.
    const state = await stateOf(folder);
    const { text, upTo } = await readOutput(folder, from);
    const now = performance.now();
    if (upTo !== size) [size, changed] = [upTo, now];
    const isQuiet = upTo > from && now - changed > QUIET_MS;
    const isMatched = cameBefore || matcher?.matcher(text).find() === true;
    if (isOver(state) || (matcher ? isMatched : isQuiet) || now >= end || signal.aborted)
      return { state, text, upTo, isMatched };
    await sleep(LOOK_MS);
  }
}

const matcherOf = (pattern: string): RE2JS | "unreadable" =>
  compileBounded(pattern, MAX_SEARCHED) ?? "unreadable";

/** A pattern is compared with at most this many characters of output. */
const MAX_SEARCHED = 1_000_000;
