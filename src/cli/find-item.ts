// An open item by what a person typed: its id, the beginning of it, or nothing where only one is open.

import type { CadreClient } from "../api/client.ts";
import type { ApprovalView } from "../api/schema.ts";
import { CadreError } from "../errors.ts";

/** The id as it was typed where nothing open has it: the server knows whether it was decided already. */
export function findItem(open: readonly ApprovalView[], id: string): ApprovalView | string {
  const exact = open.find((item) => item.id === id);
  if (exact) return exact;
  const matches = open.filter((item) => item.id.startsWith(id));
  if (matches.length > 1) {
    const ids = matches.map((item) => item.id).join(", ");
    throw new CadreError(
      "CONFLICT",
      `${matches.length} open items begin with ${id}: ${ids}. Nothing was decided.`,
    );
  }
  return matches[0] ?? id;
}

export async function approvalIdOf(client: CadreClient, id: string): Promise<string> {
  const found = findItem(await client.approvals(), id);
  return typeof found === "string" ? found : found.id;
}
