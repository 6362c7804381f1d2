// `cadre agents prompt`: prints the exact prompt the model would get, and the tools offered to it.

import type { PromptTool } from "../../../project/project.ts";
import { plural } from "../../../projections/words/format.ts";
import { EXIT, type Invocation } from "../../invocation.ts";
import { projectOf } from "../../project.ts";
import { jsonLine, plain, plainLine } from "../../view/text/plain.ts";
import { table } from "../../view/text/table.ts";

const ANY_TASK = "(the task)";

export async function prompt(
  invocation: Invocation,
  name: string,
  { task = ANY_TASK }: { task?: string },
): Promise<number> {
  const { json, screen, io } = invocation;
  const made = await projectOf(invocation).prompt(name, task);
  if (json) screen.line(jsonLine(made));
  else {
    // A terminal gets hidden characters spelled out; a file or a pipe gets the exact bytes.
    screen.line(io.stdout.isTTY ? plain(made.prompt) : made.prompt);
    for (const line of toolLines(made.tools, invocation)) screen.line(line);
  }
  return EXIT.done;
}

function toolLines(tools: readonly PromptTool[], { io, screen }: Invocation): string[] {
  const title = `With ${plural(tools.length, "tool")}, as the model reads of them (--json has their schemas):`;
  const rows = tools.map(({ name, description }) => [`  ${plainLine(name)}`, firstLine(description)]);
  return ["", screen.paint("bold", title), ...table(rows, io.stdout.isTTY ? screen.columns : undefined)];
}

const firstLine = (text: string): string => plainLine(text.trim().split("\n", 1)[0]!);
