// A run and all below it, held against their chains, their receipts, each other, the values that they rest on and what is
// listed of them. Reading a journal verifies its chain (J9): a damaged one is an answer here, not a failure.

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Digest, RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { referencedBlobs } from "../../journal/named-values.ts";
import { checkReceipts, type ReceiptProblem } from "../../loop/replay/check-receipts.ts";
import { findTreeProblem } from "../../loop/replay/check-tree.ts";
import { foldRow, type RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import { named } from "../routes/schemas.ts";
import { isDamagedJournal } from "../server/http-errors.ts";
import { subtreeOf } from "./read-runs.ts";

export const Verification = named(
  "Verification",
  z.object({
    ok: z.boolean(),
    /** Runs, it and all below it, and events that were read and found whole. */
    runs: z.int(),
    events: z.int(),
    /** Approved calls that began as they were approved. */
    receipts: z.int(),
    /** Hash of the chain at the latest event. */
    head: z.string(),
    problem: z.string().optional(),
    /** The event that is not what it was. */
    at: z.object({ runId: z.string(), seq: z.int() }).optional(),
  }),
);
export type Verification = z.infer<typeof Verification>;

export async function verifyRun(store: Store, top: RunRow, digest: Digest): Promise<Verification> {
  const head = (await store.journal.head(top.id))?.hash ?? "";
  // Before the journals: whatever is listed, they must tell of.
  const listed = await subtreeOf(store, top);
  const read = await readAll(store, top.id);
  const { journals, rows } = read;
  const events = [...journals.values()].reduce((sum, { length }) => sum + length, 0);
  const whole = { runs: journals.size, events, head };
  if (read.damage) {
    const { message, ...at } = read.damage;
    return { ok: false, ...whole, events: events + at.seq - 1, receipts: 0, problem: message, at };
  }
  const { receipts, problem: forged } = checkReceipts(journals, digest);
  const problem =
    forged ??
    findTreeProblem(journals) ??
    unstarted(listed, journals) ??
    (await missingValue(store, journals)) ??
    (await otherRow(store, rows, journals));
  if (!problem) return { ok: true, ...whole, receipts };
  const { message, ...at } = problem;
  return { ok: false, ...whole, receipts, problem: message, at };
}

type Journals = Map<RunId, readonly JournalEvent[]>;

interface Read {
  journals: Journals;
  /** As it is listed at the same event. */
  rows: Map<RunId, RunRow>;
  damage?: ReceiptProblem;
}

/** By what the journals tell, not by the lists: a run that was taken out of those is still one of them. */
async function readAll(store: Store, top: RunId): Promise<Read> {
  const journals: Journals = new Map();
  const rows = new Map<RunId, RunRow>();
  const known = new Set([top]);
  for (const runId of known) {
    try {
      const { journal, row } = await readRun(store, runId);
      if (journal.length === 0) continue;
      journals.set(runId, journal);
      if (row) rows.set(runId, row);
      for (const { type, payload } of journal)
        if (type === "CHILD_RUN_STARTED") known.add(payload.child_run_id);
    } catch (error) {
      if (!isDamagedJournal(error)) throw error;
      const seq = Number(error.details?.["seq"] ?? 1);
      return { journals, rows, damage: { runId, seq, message: error.message } };
    }
  }
  return { journals, rows };
}

const TRIES = 20;

/** A run may go on between the two: without a row, it does so all the time. */
async function readRun(store: Store, runId: RunId) {
  for (let tries = 1; ; tries++) {
    const journal = await store.journal.read(runId);
    const row = await store.runs.get(runId);
    if (!row || row.seq === journal.length) return { journal, row };
    if (tries === TRIES) return { journal, row: undefined };
  }
}

function unstarted(listed: readonly RunRow[], journals: Journals): ReceiptProblem | undefined {
  const row = listed.find(({ id }) => !journals.has(id));
  if (!row) return undefined;
  const message = `Run ${row.id} is listed below run ${row.parentRunId}, whose journal does not tell of it.`;
  return { runId: row.id, seq: 1, message };
}

/** What an agent was, and what did not fit into its event. */
async function missingValue(store: Store, journals: Journals): Promise<ReceiptProblem | undefined> {
  const sound = new Set<string>();
  for (const event of [...journals.values()].flat()) {
    for (const name of referencedBlobs(event)) {
      if (sound.has(name)) continue;
      if (!(await isSound(store, name))) {
        const { runId, seq } = event;
        const message = `The stored value ${name}, which event ${seq} of run ${runId} rests on, is missing or damaged.`;
        return { runId, seq, message };
      }
      sound.add(name);
    }
  }
  return undefined;
}

async function isSound(store: Store, name: string): Promise<boolean> {
  try {
    return (await store.blobs.get(name)) !== undefined;
  } catch (error) {
    if (isDamagedJournal(error)) return false;
    throw error;
  }
}

/** I3: what lists show is what the journal says. */
async function otherRow(
  store: Store,
  rows: ReadonlyMap<RunId, RunRow>,
  journals: Journals,
): Promise<ReceiptProblem | undefined> {
  const aside = new Set((await store.leases.quarantined()).map(({ runId }) => runId));
  for (const [runId, row] of rows) {
    const folded = foldRow(journals.get(runId)!);
    const others = (Object.keys(folded) as (keyof RunRow)[]).filter(
      (key) =>
        !isDeepStrictEqual(plain(row[key]), plain(folded[key])) && !(aside.has(runId) && SAID_OVER.has(key)),
    );
    if (others.length === 0) continue;
    const message = `What is listed of run ${runId} (${others.join(", ")}) is not what its journal says, up to event ${row.seq} of run ${runId}.`;
    return { runId, seq: row.seq, message };
  }
  return undefined;
}

/** Of a run that cannot be driven, this is said over what its journal says. */
const SAID_OVER: ReadonlySet<keyof RunRow> = new Set(["status", "waitingOn"]);

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
