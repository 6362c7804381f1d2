// Whether this process can do its work: the store answers, its disk has room, and what is due is driven. For everybody
// who asks, so it says yes or no and nothing else; and it is found out at most once a second.

import { statfs } from "node:fs/promises";
import type { RunId, Seq } from "../../ids.ts";
import type { ApiParts } from "../parts.ts";

const FRESH_MS = 1_000;
/** A run that is due for so long, and to which nothing happens, is not being driven. */
const OVERDUE_MS = 60_000;
const MIN_FREE_BYTES = 50 * 1024 * 1024;

type Parts = Pick<ApiParts, "store" | "info">;

export function createLivenessCheck(parts: Parts, now: () => number = Date.now): () => Promise<boolean> {
  const isOverdue = dueForLong(parts, now);
  let last: { at: number; well: Promise<boolean> } | undefined;
  return () => {
    if (!last || now() - last.at >= FRESH_MS) {
      const well = Promise.all([parts.store.runs.list({ limit: 1 }), isOverdue(), hasRoom(parts)]);
      last = {
        at: now(),
        well: well.then(
          ([, overdue, room]) => !overdue && room,
          () => false,
        ),
      };
    }
    return last.well;
  };
}

/**
 * That of several the first stands still is enough: it is the longest due. Of workers elsewhere it says nothing: taken for
 * unwell with them, a server would be shut off while people want to see why nothing goes on.
 */
function dueForLong({ store, info }: Parts, now: () => number): () => Promise<boolean> {
  let first: { id: RunId; seq: Seq; since: number } | undefined;
  return async () => {
    const [id] = info.drives ? await store.leases.due(now(), 1, info.ours) : [];
    const row = id === undefined ? undefined : await store.runs.get(id);
    const same = row && first?.id === row.id && first.seq === row.seq;
    if (!same) first = row && { id: row.id, seq: row.seq, since: now() };
    return first !== undefined && now() - first.since >= OVERDUE_MS;
  };
}

async function hasRoom({ info }: Parts): Promise<boolean> {
  const { bavail, bsize } = await statfs(info.folder);
  return bavail * bsize >= MIN_FREE_BYTES;
}
