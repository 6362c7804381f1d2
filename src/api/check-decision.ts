// A word that would bring about nothing, or nothing that anybody meant, is refused while its item is open. Once it is
// decided, whoever sends the same word again is told so, as with every other.

import { CadreError } from "../errors.ts";
import { parseApprovalId } from "../ids.ts";
import type { Decision } from "../loop/commands/person-commands.ts";
import type { ApprovalRef } from "../stores/store.ts";
import type { ApiParts } from "./parts.ts";

export async function checkDecision(
  id: string,
  word: Decision,
  { store, people }: Pick<ApiParts, "store" | "people">,
): Promise<void> {
  const { runId, itemId } = parseApprovalId(id) ?? {};
  if (runId === undefined) return;
  const item = (await store.inbox.openItems({ run: runId })).find((open) => open.itemId === itemId);
  const problem = item && problemOf(item, word, people.clock.now());
  if (problem !== undefined) throw new CadreError("BAD_REQUEST", `${problem} Nothing was decided.`);
}

function problemOf(
  { kind }: ApprovalRef,
  { decision, answer, until, limits = {} }: Decision,
  now: number,
): string | undefined {
  if (until !== undefined && until <= now)
    return "`until` has passed already: give a time that is still to come, in milliseconds since 1970.";
  if (decision === "answer" && answer !== undefined && answer.trim() === "")
    return "The answer has no word in it: say something as `answer`, or reject the question.";
  if (kind === "budget" && decision === "approve" && Object.keys(limits).length === 0)
    return "The budget is used up, and the run would stop again at once: give it more by `limits` (`maxTokens`, `maxCost`), or reject it to let the run end.";
  return undefined;
}
