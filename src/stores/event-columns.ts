// How every store keeps an event, and what it says of one that its chain does not cover (J9).

import { CadreError } from "../errors.ts";
import type { RunId, Seq } from "../ids.ts";
import { CHAIN_START, chainHash } from "../journal/hash.ts";
import { digest } from "./blobs.ts";
import { type Columns, hex } from "./held.ts";
import type { StoredEvent } from "./store.ts";

/** The part of a row that the chain covers. */
export function linkOf(columns: Readonly<Columns>) {
  return {
    seq: columns["seq"] as number,
    ts: columns["ts"] as number,
    type: columns["type"] as string,
    key: columns["key"] as string,
    text: columns["payload"] as string,
  };
}

/** With the id of its run, as it is carried elsewhere. */
export function storedOf(columns: Readonly<Columns>): StoredEvent {
  const runId = columns["id"] as RunId;
  return { runId, position: columns["position"] as number, ...linkOf(columns), hash: hex(columns["hash"]) };
}

/** J9: the links of a chain, from after a seq to at most the head of the journal. */
export function verifyChain(runId: RunId, head: { seq: Seq; hash: string }, links: ChainPart): void {
  let expected = links.after;
  let previous = links.before ? hex(links.before["hash"]) : CHAIN_START;
  for (const columns of links.found) {
    const link = linkOf(columns);
    expected++;
    previous = chainHash(digest, previous, link);
    if (link.seq !== expected || previous !== hex(columns["hash"])) corrupt(runId, expected);
  }
  if (links.toEnd && expected !== head.seq) corrupt(runId, expected + 1);
  if (expected === head.seq && previous !== head.hash) corrupt(runId, expected);
}

export interface ChainPart {
  after: Seq;
  /** The row at that seq; none at the start. */
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
