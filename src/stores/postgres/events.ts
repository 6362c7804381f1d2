// Events as the tables have them. A large payload stands there by the name of its blob.

import { CadreError } from "../../errors.ts";
import type { RunId, Seq } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { CHAIN_START, chainHash } from "../../journal/hash.ts";
import { readEvent } from "../../journal/upcast.ts";
import { digest } from "../blobs.ts";
import { corrupt, linkOf } from "../event-columns.ts";
import { type Columns, hex } from "../held.ts";
import { blobNamed } from "../rules.ts";
import type { Sql } from "./sql.ts";

export async function eventsOf(sql: Sql, runId: RunId, found: readonly Columns[]): Promise<JournalEvent[]> {
  const blobs = await blobsFor(sql, found);
  return found.map((columns) => eventOf(runId, columns, blobs));
}

/** P9: one journal that cannot be read must not stop a stream over all of them; its own run says what is wrong. */
export async function readableEvents(sql: Sql, found: readonly Columns[]): Promise<JournalEvent[]> {
  const blobs = await blobsFor(sql, found);
  return found.flatMap((columns) => {
    try {
      return [eventOf(columns["id"] as RunId, columns, blobs)];
    } catch (error) {
      if (error instanceof CadreError) return [];
      throw error;
    }
  });
}

/** J9: the links of a chain, from after a seq to at most the head of the journal. */
export function verifyChain(runId: RunId, head: { seq: Seq; hash: string }, links: ChainPart): void {
  let { after: expected, before: previous } = links;
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
  /** The hash at that seq. */
  before: string;
  found: readonly Columns[];
  toEnd: boolean;
}

export const FIRST_HASH = CHAIN_START;

async function blobsFor(sql: Sql, found: readonly Columns[]): Promise<Map<string, string>> {
  const names = found.flatMap((columns) => blobNamed(columns["payload"] as string) ?? []);
  if (names.length === 0) return new Map();
  const blobs = await sql.all("SELECT hash, text FROM blobs WHERE hash = ANY($1)", names);
  return new Map(blobs.map(({ hash, text }) => [hash as string, (text as Buffer).toString("utf8")]));
}

function eventOf(runId: RunId, columns: Columns, blobs: ReadonlyMap<string, string>): JournalEvent {
  const { text, ...link } = linkOf(columns);
  return readEvent({
    runId,
    position: columns["position"] as number,
    ...link,
    text: payloadText(text, blobs),
  });
}

/** A chain covers a blob's name, so the blob must be what its name says. */
function payloadText(stored: string, blobs: ReadonlyMap<string, string>): string {
  const name = blobNamed(stored);
  if (name === undefined) return stored;
  const found = blobs.get(name);
  if (found === undefined || digest(found) !== name)
    throw new CadreError("JOURNAL_CORRUPT", `The stored value ${name} is missing or damaged.`);
  return found;
}
