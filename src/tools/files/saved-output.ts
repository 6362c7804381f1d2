// Outputs that were too long for the context. An agent can read and search them like files, under a name such as `output:m3.1`.
// These outputs are stored as blobs of the journal. So they survive a restart, and every machine can find them.
// Text from an untrusted source stays untrusted: each shown part of it gets its own mark.

import { markUntrusted } from "../../journal/untrusted.ts";
import { callOfOutput, refusal } from "../answers.ts";
import type { ToolAnswer, ToolContext } from "../tool.ts";

/** Calls `show` with the text of a saved output, and returns the answer. Returns undefined if `path` is the name of a file. */
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
