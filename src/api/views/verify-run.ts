// Verifies a run and its descendants: hash chains, receipts, links between parents and children, stored values, and rows in lists.
// Reading a journal verifies its hash chain (J9). Damage is returned as a result and not thrown as an error.

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Digest, RunId } from "../../ids.ts";
import { type JournalEvent, referencedBlobs } from "../../journal/events.ts";
import { checkReceipts, findTreeProblem, type ReceiptProblem } from "../../loop/replay/check-journals.ts";
import { foldRow, type RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import { namedObject } from "../routes/schemas.ts";
import { isDamagedJournal, subtreeOf, unlessDamaged } from "./read-runs.ts";

export const Verification = namedObject("Verification", {
  ok: z.boolean(),
  /** Number of verified runs, including descendants. `events` is the number of their events. */
  runs: z.int(),
  events: z.int(),
  /** Number of calls that ran exactly as approved. */
  receipts: z.int(),
  /** Hash of the latest event in the run's hash chain. */
  head: z.string(),
  problem: z.string().optional(),
  /** The event that is damaged. */
  at: z.object({ runId: z.string(), seq: z.int() }).optional(),
});
export type Verification = z.infer<typeof Verification>;

export async function verifyRun(store: Store, top: RunRow, digest: Digest): Promise<Verification> {
  const head = (await store.journal.head(top.id))?.hash ?? "";
  // Read the list first and the journals second. So every run in the list must also appear in the journals.
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
    runWithoutStart(listed, journals) ??
    (await missingValue(store, journals)) ??
    (await differingRow(store, rows, journals));
  if (!problem) return { ok: true, ...whole, receipts };
  const { message, ...at } = problem;
  return { ok: false, ...whole, receipts, problem: message, at };
}

type Journals = Map<RunId, readonly JournalEvent[]>;

interface Read {
  journals: Journals;
  /** The row of each run. The row and the run's journal end with the same event. */
  rows: Map<RunId, RunRow>;
  damage?: ReceiptProblem;
}

/** Reads the journals of a run and its descendants. It finds descendants through the journals, so deleting a row cannot hide a run. */
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
      // P9: cached views of the run must not hide the damage.
      await store.leases.quarantine({ runId, reason: error.message, seq });
      return { journals, rows, damage: { runId, seq, message: error.message } };
    }
  }
  return { journals, rows };
}

const TRIES = 20;

/** Reads a run's journal and row until both end with the same event. The row is undefined if the run changes too fast. */
async function readRun(store: Store, runId: RunId) {
  for (let tries = 1; ; tries++) {
    const journal = await store.journal.read(runId);
    const row = await store.runs.get(runId);
    if (!row || row.seq === journal.length) return { journal, row };
    if (tries === TRIES) return { journal, row: undefined };
  }
}

function runWithoutStart(listed: readonly RunRow[], journals: Journals): ReceiptProblem | undefined {
  const row = listed.find(({ id }) => !journals.has(id));
  if (!row) return undefined;
  const message = `Run ${row.id} is listed below run ${row.parentRunId}, whose journal does not mention it.`;
  return { runId: row.id, seq: 1, message };
}

/** Checks that every blob that an event refers to exists. Definitions and large values are stored as blobs. */
async function missingValue(store: Store, journals: Journals): Promise<ReceiptProblem | undefined> {
  const sound = new Set<string>();
  for (const event of [...journals.values()].flat()) {
    for (const name of referencedBlobs(event)) {
      if (sound.has(name)) continue;
      const value = await unlessDamaged(
        () => store.blobs.get(name),
        () => undefined,
      );
      if (value === undefined) {
        const { runId, seq } = event;
        const message = `The stored value ${name}, which event ${seq} of run ${runId} refers to, is missing or damaged.`;
        return { runId, seq, message };
      }
      sound.add(name);
    }
  }
  return undefined;
}

/** I3: checks that each listed row equals the row that is computed from the journal. */
async function differingRow(
  store: Store,
  rows: ReadonlyMap<RunId, RunRow>,
  journals: Journals,
): Promise<ReceiptProblem | undefined> {
  const quarantined = new Set((await store.leases.quarantined()).map(({ runId }) => runId));
  for (const [runId, row] of rows) {
    const folded = foldRow(journals.get(runId)!);
    const others = (Object.keys(folded) as (keyof RunRow)[]).filter(
      (key) =>
        !isDeepStrictEqual(plain(row[key]), plain(folded[key])) &&
        !(quarantined.has(runId) && OVERRIDDEN.has(key)),
    );
    if (others.length === 0) continue;
    const message = `The listed row of run ${runId} (${others.join(", ")}) differs from its journal, up to event ${row.seq} of run ${runId}.`;
    return { runId, seq: row.seq, message };
  }
  return undefined;
}

/** Fields of a row that a quarantine overrides. */
const OVERRIDDEN: ReadonlySet<keyof RunRow> = new Set(["status", "waitingOn"]);

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
