// Outputs that were too long for the context. An agent reads and searches them like files, under a name such as `output:m3.1`.
// They are kept as blobs of the journal, so that they survive a restart and are found from every machine.
// Text of an untrusted source stays untrusted: each part of it that is shown gets its own mark.

import { markUntrusted } from "../../journal/untrusted.ts";
import { callOfOutput, refusal } from "../answers.ts";
import type { ToolAnswer, ToolContext } from "../tool.ts";

/** The answer that `show` makes of a saved output. Undefined if `path` names a file. */
export async function showSavedOutput(
  path: string,
  { savedOutput, nonce }: Pick<ToolContext, "savedOutput" | "nonce">,
  show: (text: string) => ToolAnswer,
): Promise<ToolAnswer | undefined> {
  if (callOfOutput(path) === undefined) return undefined;
  const saved = await savedOutput?.(path);
  if (!saved) return refusal(`there is no saved output ${path}: its name is in the shortened answer`);
  const answer = show(saved.text);
  const { untrusted } = saved;
  if (untrusted === undefined || answer.isError) return answer;
  return { ...answer, output: markUntrusted(nonce(), untrusted, String(answer.output)), untrusted };
}
