// Checks whether this process can work: the store answers, its disk has space, and due runs are being driven.
// The check is public, so it answers only yes or no, and it runs at most once a second.

import { statfs } from "node:fs/promises";
import type { RunId, Seq } from "../../ids.ts";
import type { ApiParts } from "../parts.ts";

const FRESH_MS = 1_000;
/** If a run has been due for this long and has no new event, we assume that no driver works on it. */
const OVERDUE_MS = 60_000;
const MIN_FREE_BYTES = 50 * 1024 * 1024;

type Parts = Pick<ApiParts, "store" | "info">;

export function createLivenessCheck(parts: Parts, now: () => number = Date.now): () => Promise<boolean> {
  const isOverdue = overdueCheck(parts, now);
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
 * Checks only the run that has been due for the longest time. A process that drives no runs never reports an overdue run.
 * Otherwise a supervisor would restart the process just when people need it to see why no run continues.
 */
function overdueCheck({ store, info }: Parts, now: () => number): () => Promise<boolean> {
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
