// `cadre agents prompt`: exactly what the model would get, and nothing else.

import { EXIT, type Invocation } from "../io.ts";
import { projectOf } from "../project.ts";
import { jsonLine, plain } from "../view/plain.ts";

const ANY_TASK = "(the task)";

export async function prompt(
  invocation: Invocation,
  name: string,
  { task = ANY_TASK }: { task?: string },
): Promise<number> {
  const { json, screen, io } = invocation;
  const text = await projectOf(invocation).prompt(name, task);
  // At a terminal nothing may hide in it; a file or a pipe gets the very bytes.
  screen.line(json ? jsonLine({ agent: name, prompt: text }) : io.stdout.isTTY ? plain(text) : text);
  return EXIT.done;
}
