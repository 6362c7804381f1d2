// What a person tells a run. One that has routed its work, or handed it over, asks its model nothing any more: what is said to
// it is for whoever has the work (J11).

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { EventOf } from "../../journal/events.ts";
import { hasTakenOver, type RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import { type CommandParts, requireNotEnded, signalRun } from "./person-commands.ts";

/** Under the same key it is heard once, however often it is sent (F50), by whoever has the run's work (J11). */
export async function sendMessage(
  runId: RunId,
  text: string,
  from: string,
  parts: CommandParts,
  idempotencyKey?: string,
): Promise<void> {
  const id = idempotencyKey === undefined ? parts.ids.nonce() : messageIdFor(idempotencyKey);
  const hearers = await workChain(runId, parts.store);
  for (const hearer of idempotencyKey === undefined ? [] : hearers) {
    const said = await parts.store.journal.read(hearer.id);
    const before = said.find((event) => event.type === "CONTEXT_ADDED" && event.payload.id === id);
    if (before) return refuseOther(before as EventOf<"CONTEXT_ADDED">, text);
  }
  const hears = hearers.findLast(({ endedAt }) => endedAt === undefined)?.id ?? runId;
  await signalRun(hears, parts, (state) => {
    requireNotEnded(state);
    return {
      events: [{ type: "CONTEXT_ADDED", payload: { id, source: "person", from, text } }],
      done: undefined,
    };
  });
}

/** The id of a message that its sender gave a key. */
export const messageIdFor = (idempotencyKey: string): string => `key/${idempotencyKey}`;

function refuseOther({ payload }: EventOf<"CONTEXT_ADDED">, text: string): undefined {
  if (payload.text === text) return;
  throw new CadreError(
    "UNPROCESSABLE",
    "This idempotency key was used for another message. Nothing was changed.",
  );
}

/** The run, then those that its work was passed on to, each by the one before. */
export async function workChain(
  runId: RunId,
  store: { runs: Pick<Store["runs"], "get" | "list"> },
): Promise<RunRow[]> {
  const row = await store.runs.get(runId);
  if (!row) return [];
  const { runs } = await store.runs.list({ parent: runId, limit: MOST_CHILDREN });
  const next = runs.find(hasTakenOver);
  return next ? [row, ...(await workChain(next.id, store))] : [row];
}

const MOST_CHILDREN = 200;
