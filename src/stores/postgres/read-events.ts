// Events as the tables have them. A large payload stands there by the name of its blob.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { readEvent } from "../../journal/upcast.ts";
import { digest } from "../blobs.ts";
import type { Columns } from "../run-record.ts";
import type { ReadOptions } from "../store.ts";
import { readableEvents, readLink } from "../stored-event.ts";
import { blobNameIn } from "../transaction/append-rules.ts";
import type { Sql } from "./sql.ts";

export async function eventsOf(sql: Sql, runId: RunId, found: readonly Columns[]): Promise<JournalEvent[]> {
  const blobs = await blobsFor(sql, found);
  return found.map((columns) => eventOf(runId, columns, blobs));
}

/** Of many runs. */
export async function pageOf(sql: Sql, found: readonly Columns[], of: ReadOptions): Promise<JournalEvent[]> {
  const blobs = await blobsFor(sql, found);
  return readableEvents(found, (columns) => eventOf(columns["id"] as RunId, columns, blobs), of);
}

async function blobsFor(sql: Sql, found: readonly Columns[]): Promise<Map<string, string>> {
  const names = found.flatMap((columns) => blobNameIn(columns["payload"] as string) ?? []);
  if (names.length === 0) return new Map();
  const blobs = await sql.all("SELECT hash, text FROM blobs WHERE hash = ANY($1)", names);
  return new Map(blobs.map(({ hash, text }) => [hash as string, (text as Buffer).toString("utf8")]));
}

function eventOf(runId: RunId, columns: Columns, blobs: ReadonlyMap<string, string>): JournalEvent {
  const { text, ...link } = readLink(columns);
  return readEvent({
    runId,
    position: columns["position"] as number,
    ...link,
    text: payloadText(text, blobs),
  });
}

/** A chain covers a blob's name, so the blob must be what its name says. */
function payloadText(stored: string, blobs: ReadonlyMap<string, string>): string {
  const name = blobNameIn(stored);
  if (name === undefined) return stored;
  const found = blobs.get(name);
  if (found === undefined || digest(found) !== name)
    throw new CadreError(
      "JOURNAL_CORRUPT",
      `The stored value ${name} is missing or damaged. Only what needs it is affected.`,
    );
  return found;
}
