// Outputs that were too long for the context. An agent reads and searches them like files, under a name such as `output:m3.1`.
// They are kept as blobs of the journal, so that they survive a restart and are found from every machine.

import { callOfOutput } from "../answers.ts";
import type { ToolContext } from "../tool.ts";

/** The text of a saved output. Undefined if `path` names a file. */
export async function readSavedOutput(
  path: string,
  { savedOutput }: Pick<ToolContext, "savedOutput">,
): Promise<{ ok: true; text: string } | { ok: false; why: string } | undefined> {
  if (callOfOutput(path) === undefined) return undefined;
  const text = await savedOutput?.(path);
  return text === undefined
    ? { ok: false, why: `there is no saved output ${path}: its name is in the shortened answer` }
    : { ok: true, text };
}
