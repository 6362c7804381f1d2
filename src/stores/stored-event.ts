// Reads stored events, and verifies them against their chain (J9).

import { CadreError } from "../errors.ts";
import type { RunId, Seq } from "../ids.ts";
import type { JournalEvent } from "../journal/events.ts";
import { isNewer } from "../journal/upcast.ts";
import { type Columns, hex } from "./columns.ts";
import { CHAIN_START, chainHash } from "./hashes.ts";
import type { ReadOptions, StoredEvent } from "./store.ts";

/** The part of a row that the hash chain covers. */
export function readLink(columns: Readonly<Columns>) {
  return {
    seq: columns["seq"] as number,
    ts: columns["ts"] as number,
    type: columns["type"] as string,
    key: columns["key"] as string,
    text: columns["payload"] as string,
  };
}

/** Reads an event with the id of its run, as an export needs it. */
export function readStoredEvent(columns: Readonly<Columns>): StoredEvent {
  const runId = columns["id"] as RunId;
  return { runId, position: columns["position"] as number, ...readLink(columns), hash: hex(columns["hash"]) };
}

/** P9: an unreadable event is left out, so that it does not stop a stream over all journals. Reading the journal of its run reports the error. */
export function readableEvents<Row>(
  rows: readonly Row[],
  read: (row: Row) => JournalEvent,
  { stopAtNewer }: ReadOptions,
): JournalEvent[] {
  const events: JournalEvent[] = [];
  for (const row of rows) {
    try {
      events.push(read(row));
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      if (!stopAtNewer || !isNewer(error)) continue;
      if (events.length === 0) throw error;
      return events;
    }
  }
  return events;
}

/** J9: verifies the events of a chain after a seq, at most up to the head of the journal. */
export function verifyChain(runId: RunId, head: { seq: Seq; hash: string }, links: ChainPart): void {
  let expected = links.after;
  let previous = links.before ? hex(links.before["hash"]) : CHAIN_START;
  for (const columns of links.found) {
    const link = readLink(columns);
    expected++;
    previous = chainHash(previous, link);
    if (link.seq !== expected || previous !== hex(columns["hash"])) corrupt(runId, expected);
  }
  if (links.toEnd && expected !== head.seq) corrupt(runId, expected + 1);
  if (expected === head.seq && previous !== head.hash) corrupt(runId, expected);
}

export interface ChainPart {
  after: Seq;
  /** The row of the event `after`. Undefined at the start of the journal. */
  before: Columns | undefined;
  found: readonly Columns[];
  toEnd: boolean;
}

function corrupt(runId: RunId, seq: Seq): never {
  throw new CadreError(
    "JOURNAL_CORRUPT",
    `The journal of run ${runId} is damaged at event ${seq}: its checksum does not match. The run is set aside; the others go on.`,
    { runId, seq },
  );
}
