// Operations on a run and every active run below it, in one transaction (P7, BV4).

import type { RunId } from "../../ids.ts";
import type { Payload } from "../../journal/events.ts";
import { type FreezeRequest, freezeEvent } from "../../projections/folds/freeze.ts";
import { childQuarantinedEvent } from "../../projections/folds/parent-events.ts";
import { hasTakenOver } from "../../projections/folds/run-row.ts";
import type { RunRecord } from "../run-record.ts";
import type { Quarantine } from "../store.ts";
import { restRun } from "./leases.ts";
import { ask, findRun, loadRun, type Steps, type Transaction } from "./transaction.ts";
import { refreshBlockers, reportToParent, signal, UNREADABLE } from "./write-events.ts";

/** P7: cancels a run and every active run below it. Returns the runs that it reached. */
export function* cancelBranch(
  tx: Transaction,
  runId: RunId,
  request: Payload<"CANCEL_REQUESTED">,
): Steps<RunId[]> {
  const branch = yield* activeBranch(tx, runId);
  for (const id of branch) {
    const payload = id === runId ? request : { via: runId, ...request };
    const record = yield* loadRun(tx, id);
    yield* signal(tx, record, [{ type: "CANCEL_REQUESTED", payload }]);
    // Nothing can drive an unreadable run to its end, so its parent does not wait for that end.
    if (yield* ask(tx.queries.isQuarantined(id)))
      yield* reportToParent(tx, record, childQuarantinedEvent(record.row, UNREADABLE));
  }
  return branch;
}

/** BV4: freezes or thaws a run and every active run below it. Returns the runs that it changed. */
export function* freezeBranch(tx: Transaction, top: RunId, freeze: FreezeRequest): Steps<RunId[]> {
  const changed: RunId[] = [];
  for (const id of yield* activeBranch(tx, top)) {
    const record = yield* loadRun(tx, id);
    const event = freezeEvent(record.row, top, freeze);
    if (!event) continue;
    changed.push(id);
    yield* signal(tx, record, [event]);
  }
  return changed;
}

/** J11: the run, followed by the runs that took over its work one after another. The last run does the work now. */
export function* workHolders(tx: Transaction, record: RunRecord): Steps<[RunRecord, ...RunRecord[]]> {
  const holders: [RunRecord, ...RunRecord[]] = [record];
  for (const id of yield* activeBranch(tx, record.row.id)) {
    const below = yield* loadRun(tx, id);
    if (below.row.parentRunId === holders.at(-1)!.row.id && hasTakenOver(below.row)) holders.push(below);
  }
  return holders;
}

function* activeBranch(tx: Transaction, runId: RunId): Steps<RunId[]> {
  yield* loadRun(tx, runId);
  const branch = yield* ask(tx.queries.activeBranch(runId));
  yield* ask(tx.queries.prefetch({ keys: branch }));
  return branch;
}

/** Quarantines a run that cannot be read, and tells the parent to wait for it. If the run was cancelled, tells the parent that it has ended. */
export function* quarantineRun(tx: Transaction, entry: Quarantine): Steps<void> {
  const record = yield* loadRun(tx, entry.runId);
  yield* ask(tx.queries.addQuarantine(entry));
  yield* restRun(tx, record);
  if (record.row.cancelRequested)
    yield* reportToParent(tx, record, childQuarantinedEvent(record.row, entry.reason));
  else if (record.row.parentRunId !== undefined) {
    const parent = yield* findRun(tx, record.row.parentRunId);
    if (parent) yield* refreshBlockers(tx, parent);
  }
}
