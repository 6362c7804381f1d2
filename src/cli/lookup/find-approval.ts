// Finds an open item by its id, by the beginning of its id, or by the beginning of its run's id plus the item.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApprovalView } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import type { CommandLine } from "../command-line.ts";
import { answerCommands, itemTitle } from "../view/approval.ts";

/** Returns the given id if no open item matches: the server knows whether it was already decided. */
export function findApproval(open: readonly ApprovalView[], id: string): ApprovalView | string {
  const exact = open.find((item) => item.id === id);
  if (exact) return exact;
  const matches = open.filter(
    (item) => item.id.startsWith(id) || isShortened(item, id) || isOutcomeOf(item, id),
  );
  if (matches.length > 1) {
    const ids = matches.map((item) => item.id).join(", ");
    throw new CadreError(
      "CONFLICT",
      `${matches.length} open items begin with ${id}: ${ids}. Give more of the id. Nothing was decided.`,
    );
  }
  return matches[0] ?? id;
}

/** Matches `r1m7:m4.0` with `r1m7p…:m4.0`. */
function isShortened({ runId, itemId }: ApprovalView, given: string): boolean {
  const colon = given.indexOf(":");
  return colon > 0 && runId.startsWith(given.slice(0, colon)) && given.slice(colon + 1) === itemId;
}

/** Matches an open outcome with the id of the call's earlier approval. */
function isOutcomeOf({ kind, runId, callId }: ApprovalView, given: string): boolean {
  const colon = given.indexOf(":");
  const call = (id: string): string => id.replace(/~\d+$/, "");
  const isItsRun = colon > 0 && runId.startsWith(given.slice(0, colon));
  return kind === "outcome" && isItsRun && call(given.slice(colon + 1)) === call(callId!);
}

/** P4: approving or rejecting a call does not answer whether it took effect. */
export function refuseOutcome(item: ApprovalView, commandLine: CommandLine): void {
  if (item.kind !== "outcome") return;
  const [command] = answerCommands(item, commandLine);
  throw new CadreError(
    "OUTCOME_UNKNOWN",
    `It is unknown whether this took effect (${itemTitle(item)}). Nothing was decided. Find out, and record it: ${command}`,
    { approvalId: item.id, runId: item.runId, callId: item.callId },
  );
}

export async function resolveApprovalId(
  client: CadreClient,
  id: string,
  commandLine: CommandLine,
): Promise<string> {
  const found = findApproval((await client.get("/api/approvals")).approvals, id);
  if (typeof found === "string") return found;
  refuseOutcome(found, commandLine);
  return found.id;
}
