// A run and all below it, held against their chains and their receipts. Reading a journal verifies its chain (J9): a damaged
// one is an answer here, not a failure.

import type { Digest } from "../ids.ts";
import type { JournalEvent } from "../journal/events.ts";
import { checkReceipts } from "../loop/receipts.ts";
import type { RunRow } from "../projections/run-row.ts";
import type { Store } from "../stores/store.ts";
import { isDamage } from "./failure.ts";
import type { Verification } from "./schema.ts";
import { subtreeOf } from "./subtree.ts";

export async function verifyRun(store: Store, top: RunRow, digest: Digest): Promise<Verification> {
  const head = (await store.head(top.id))?.hash ?? "";
  const journals = new Map<string, readonly JournalEvent[]>();
  let events = 0;
  for (const { id } of await subtreeOf(store, top)) {
    try {
      const journal = await store.journal(id);
      journals.set(id, journal);
      events += journal.length;
    } catch (error) {
      if (!isDamage(error)) throw error;
      const seq = Number(error.details?.["seq"] ?? 1);
      const at = { runId: id, seq };
      return {
        ok: false,
        runs: journals.size,
        events: events + seq - 1,
        receipts: 0,
        head,
        problem: error.message,
        at,
      };
    }
  }
  const { receipts, problem } = checkReceipts(journals, digest);
  const whole = { runs: journals.size, events, receipts, head };
  if (!problem) return { ok: true, ...whole };
  const { message, runId, seq } = problem;
  return { ok: false, ...whole, problem: message, at: { runId, seq } };
}
