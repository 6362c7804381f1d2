// Sends text to a background command, as if a person typed it.

import { z } from "zod";
import { revealHidden } from "../journal/visible.ts";
import { BASH } from "../projections/folds/tool-call.ts";
import { refusal } from "./answers.ts";
import { isOver, stateText } from "./background/background-commands.ts";
import { commandFolder, sendInput, stateOf } from "./background/command-folder.ts";
import { findCommand } from "./bash-output.ts";
import type { Confinement } from "./sandbox/confine.ts";
import { defineTool } from "./tool.ts";

export const bashInputTool = ({ stateFolder }: Pick<Confinement, "stateFolder">) =>
  defineTool({
    name: "BashInput",
    description: "Sends a line to a background command. BashOutput shows the answer.",
    input: z.strictObject({
      id: z.string().min(1).max(50).describe("The command's id, such as m3.1"),
      input: z.string().max(100_000).describe("The text, without the last line break"),
      end: z.boolean().optional().describe("Close the input afterwards"),
    }),
    effect: "unsafe",
    reaches: ["commands", "files", "network"],
    // A program such as a shell executes its input, so the rules for commands also apply to this text.
    target: { kind: "command", field: "input", typed: true },
    partOf: BASH,

    async execute({ id, input, end }, context) {
      const found = await findCommand(id, context);
      if ("problem" in found) return refusal(found.problem);
      const folder = commandFolder(stateFolder, found.runId, id);
      const state = await stateOf(folder);
      if (isOver(state)) return refusal(`the background command ${id} ${stateText(state)}; nothing was sent`);
      await sendInput(folder, {
        text: end && input === "" ? "" : `${input}\n`,
        ...(end ? { close: true } : {}),
      });
      return { output: `sent to ${id}; BashOutput ${id} shows what it answers` };
    },

    async preview({ id, input, end }) {
      return {
        text: `to the background command ${id}${end ? ", and then the end of its input" : ""}:\n${revealHidden(input)}`,
      };
    },
  });
