// Converts columns of tables to our own types. Both stores use the same column names.

import { CadreError } from "../errors.ts";
import type { UnjournaledState } from "../journal/events.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import { decodeBlob } from "./hashes.ts";
import {
  type ApprovalRef,
  LEASE_MS,
  type Quarantine,
  type StandingGrant,
  type WorkerCard,
  type WorkerRow,
} from "./store.ts";

/** A row as the database's driver returns it. Columns with JSON are still text. */
export type Columns = Record<string, unknown>;

export const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex");

export const optional = <T>(value: T | null | undefined): T | undefined =>
  value === null ? undefined : value;

/** The tables store times as whole numbers. A computed time with a fraction is rounded up, so that no timer fires early (P8). */
export const wholeMs = (at: number | undefined): number | null => (at === undefined ? null : Math.ceil(at));

export const readQuarantine = (columns: Columns): Quarantine => ({
  runId: columns["run"] as string,
  reason: columns["reason"] as string,
  seq: optional(columns["seq"]) as number | undefined,
});

/** The row is computed from the journal. If the journal cannot be read, the row is shown as quarantined. */
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

/** J9: a blob whose text does not match its name is damaged. */
export function verifiedBlob(name: string, stored: string): string {
  const text = decodeBlob(name, stored);
  if (text !== undefined) return text;
  throw new CadreError(
    "JOURNAL_CORRUPT",
    `The stored value ${name} is damaged. Only what needs it is affected.`,
  );
}

/** Maximum number of runs that are listed for each worker. */
export const LISTED_RUNS = 5;

/** Workers that have sent a description of themselves, in the order in which they started. */
export function readWorkers(found: readonly Columns[]): WorkerRow[] {
  const rows = found.map(({ name, expires_at: until, card, silent, runs, holds }) => ({
    name: name as string,
    ...(JSON.parse(card as string) as WorkerCard),
    seenAt: (until as number) - LEASE_MS,
    silent: Boolean(silent),
    runs: runs as number,
    holds: JSON.parse(holds as string) as string[],
  }));
  return rows.sort((one, other) => one.since - other.since);
}

export function readUnjournaled(found: {
  claims: readonly Columns[];
  grants: readonly Columns[];
  budget: Columns | undefined;
}): UnjournaledState {
  const { claims, grants, budget } = found;
  return omitUndefined({
    claims: claims.length === 0 ? undefined : claims.map(({ path }) => path as string),
    grants: grants.length === 0 ? undefined : grants.map(readTreeGrant),
    budget: budget && readBudget(budget),
  });
}

const readTreeGrant = (columns: Columns): NonNullable<UnjournaledState["grants"]>[number] => ({
  rule: columns["rule"] as string,
  by: columns["given_by"] as string,
  at: columns["given_at"] as number,
  ...omitUndefined({
    until: optional(columns["until"]) as number | undefined,
    folder: optional(columns["folder"]) as string | undefined,
  }),
});

export const readBudget = (columns: Columns): { maxTokens?: number; maxCost?: number } =>
  omitUndefined({
    maxTokens: optional(columns["max_tokens"]) as number | undefined,
    maxCost: optional(columns["max_cost"]) as number | undefined,
  });
