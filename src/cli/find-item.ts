// An open item by what a person typed: its id, the beginning of it, or the beginning of the run's id and the item.

import type { CadreClient } from "../api/client.ts";
import type { ApprovalView } from "../api/schema.ts";
import { CadreError } from "../errors.ts";

/** The id as it was typed where nothing open has it: the server knows whether it was decided already. */
export function findItem(open: readonly ApprovalView[], id: string): ApprovalView | string {
  const exact = open.find((item) => item.id === id);
  if (exact) return exact;
  const matches = open.filter((item) => item.id.startsWith(id) || isShortened(item, id));
  if (matches.length > 1) {
    const ids = matches.map((item) => item.id).join(", ");
    throw new CadreError(
      "CONFLICT",
      `${matches.length} open items begin with ${id}: ${ids}. Nothing was decided.`,
    );
  }
  return matches[0] ?? id;
}

/** `r1m7:m4.0` for `r1m7p…:m4.0`. */
function isShortened({ runId, itemId }: ApprovalView, typed: string): boolean {
  const colon = typed.indexOf(":");
  return colon > 0 && runId.startsWith(typed.slice(0, colon)) && typed.slice(colon + 1) === itemId;
}

export async function approvalIdOf(client: CadreClient, id: string): Promise<string> {
  const found = findItem(await client.approvals(), id);
  return typeof found === "string" ? found : found.id;
}
