// `cadre agents prompt`: prints the exact prompt that the model would get, and the tools offered to the model.

import type { ExactPrompt, PromptTool } from "../../../project/project.ts";
import { plural } from "../../../projections/words/format.ts";
import { type Invocation, printError, report, tableWidth } from "../../invocation.ts";
import { projectOf } from "../../project.ts";
import { plain, plainLine } from "../../view/text/plain.ts";
import { table } from "../../view/text/table.ts";

const ANY_TASK = "(the task)";

export async function prompt(
  invocation: Invocation,
  name: string,
  { task = ANY_TASK }: { task?: string },
): Promise<number> {
  const project = projectOf(invocation);
  try {
    return printPrompt(invocation, await project.prompt(name, task));
  } finally {
    await project.servers.close();
  }
}

function printPrompt(invocation: Invocation, { problems, ...made }: ExactPrompt): number {
  for (const problem of problems) printError(problem, invocation.io, invocation.commandLine);
  // At a terminal, hidden characters are spelled out. A file or a pipe receives the exact bytes.
  const text = invocation.io.stdout.isTTY ? plain(made.prompt) : made.prompt;
  return report(invocation, made, [text, ...toolLines(made.tools, invocation)]);
}

function toolLines(tools: readonly PromptTool[], invocation: Invocation): string[] {
  const title = `With ${plural(tools.length, "tool")}, as the model reads of them (--json has their schemas):`;
  const rows = tools.map(({ name, description }) => [`  ${plainLine(name)}`, firstLine(description)]);
  return ["", invocation.screen.paint("bold", title), ...table(rows, tableWidth(invocation))];
}

const firstLine = (text: string): string => plainLine(text.trim().split("\n", 1)[0]!);
