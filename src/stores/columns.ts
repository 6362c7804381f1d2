// What readers are answered with, from its columns: both stores name them alike.

import { CadreError } from "../errors.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import { decodeBlob } from "./blobs.ts";
import { type Columns, optional } from "./run-record.ts";
import type { ApprovalRef, Quarantine, StandingGrant } from "./store.ts";

export const readQuarantine = (columns: Columns): Quarantine => ({
  runId: columns["run"] as string,
  reason: columns["reason"] as string,
  seq: optional(columns["seq"]) as number | undefined,
});

/** The row is what the journal says; that a journal cannot be read is said over it. */
export const markQuarantined = (row: RunRow, detail: string | undefined): RunRow =>
  detail === undefined ? row : { ...row, status: "suspended", waitingOn: { kind: "quarantine", detail } };

export const readApproval = (columns: Columns): ApprovalRef => ({
  runId: columns["id"] as string,
  itemId: columns["item"] as string,
  kind: columns["kind"] as ApprovalRef["kind"],
  openedAt: columns["opened_at"] as number,
  expiresAt: optional(columns["expires_at"]) as number | undefined,
});

export const readGrant = (columns: Columns): StandingGrant => ({
  id: columns["id"] as number,
  scope: columns["scope"] as StandingGrant["scope"],
  rule: columns["rule"] as string,
  by: columns["given_by"] as string,
  at: columns["given_at"] as number,
  until: optional(columns["until"]) as number | undefined,
  folder: optional(columns["folder"]) as string | undefined,
  runId: columns["given_in"] as string,
});

/** J9: a blob is what its name says, or it is damaged. */
export function verifiedBlob(name: string, stored: string): string {
  const text = decodeBlob(name, stored);
  if (text !== undefined) return text;
  throw new CadreError(
    "JOURNAL_CORRUPT",
    `The stored value ${name} is damaged. Only what needs it is affected.`,
  );
}
