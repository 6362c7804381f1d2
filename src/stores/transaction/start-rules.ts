// Which run a request or a message leads to: one that is there, or the next. Pure.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { Payload } from "../../journal/events.ts";
import type { Columns, RunRecord } from "../run-record.ts";

/** The run that a key was used for; `known`: what stands under the key. */
export function runUnderKey(known: Columns | undefined, body: string): RunId | undefined {
  if (known === undefined || known["body"] === body) return known?.["run"] as RunId | undefined;
  throw new CadreError(
    "UNPROCESSABLE",
    "This idempotency key was used for another request. Nothing was started.",
  );
}

/** J10: a derived id makes the same run again; the same id for another run is a mistake that must show. */
export const runIdTaken = (runId: RunId): CadreError =>
  new CadreError("CONFLICT", `There is another run ${runId} already. Nothing was started.`);

/** D5: the last run of a session hears what is said there, unless it has ended or is about to. */
export const acceptsMessages = ({ row }: RunRecord): boolean =>
  row.endedAt === undefined && !row.cancelRequested;

/** The next run of a session continues the last, once that has ended. */
export function continueSession(
  start: Payload<"RUN_STARTED">,
  last: RunRecord | undefined,
): Payload<"RUN_STARTED"> {
  if (last?.row.endedAt === undefined || start.continues) return start;
  return { ...start, continues: { runId: last.row.id, seq: last.row.seq, hash: last.hash } };
}
