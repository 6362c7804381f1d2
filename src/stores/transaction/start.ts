// Finds the run for a request or a message: an existing run, or a new one.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { type EventBody, keyOf, type Payload } from "../../journal/events.ts";
import type { RunRecord } from "../run-record.ts";
import type { SessionMessage } from "../store.ts";
import { findRepeated } from "./append.ts";
import { workHolders } from "./branch.ts";
import { admitRun, ask, findRun, keysOf, loadRun, type Steps, type Transaction } from "./transaction.ts";
import { signal } from "./write-events.ts";

type Start = Payload<"RUN_STARTED">;
type Idempotency = SessionMessage["idempotency"];

export function* startRun(
  tx: Transaction,
  runId: RunId,
  start: Start,
  idempotency: Idempotency,
): Steps<{ runId: RunId; existed: boolean }> {
  const known = yield* runUnderKey(tx, idempotency);
  if (known !== undefined) return { runId: known, existed: true };
  if (idempotency) yield* ask(tx.queries.keepRequest(idempotency, runId));
  const existing = yield* findRun(tx, runId);
  if (existing) {
    yield* refuseAnotherStart(tx, existing, start);
    return { runId, existed: true };
  }
  const last = start.parentRunId === undefined ? yield* lastInSession(tx, start) : undefined;
  yield* admit(tx, runId, start, last);
  return { runId, existed: false };
}

/** J10: if a start with a derived id is repeated, it leads to the same run. A different start under that id is a mistake. */
function* refuseAnotherStart(tx: Transaction, record: RunRecord, start: Start): Steps<void> {
  const repeated = yield* findRepeated(tx, record, [{ type: "RUN_STARTED", payload: start }]);
  if (repeated === "same") return;
  throw new CadreError("CONFLICT", `There is another run ${record.row.id} already. Nothing was started.`);
}

/** D5: a message in a session goes to the run that is active there. If no run is active, the message starts the next run. */
export function* say(
  tx: Transaction,
  message: SessionMessage,
): Steps<{ runId: RunId; joined: boolean; refused?: "runs" }> {
  const known = yield* runUnderKey(tx, message.idempotency);
  if (known !== undefined) {
    const key = keyOf({ type: "CONTEXT_ADDED", payload: message.context });
    return { runId: known, joined: (yield* keysOf(tx, yield* loadRun(tx, known))).has(key) };
  }
  const answer = yield* deliver(tx, message);
  if (message.idempotency && !("refused" in answer))
    yield* ask(tx.queries.keepRequest(message.idempotency, answer.runId));
  return answer;
}

function* deliver(
  tx: Transaction,
  message: SessionMessage,
): Steps<{ runId: RunId; joined: boolean; refused?: "runs" }> {
  const { context, runId, start, maxRuns = Infinity } = message;
  if (yield* findRun(tx, runId)) return { runId, joined: false };
  const last = yield* lastInSession(tx, message);
  const event: EventBody = { type: "CONTEXT_ADDED", payload: context };
  const holders = last ? yield* workHolders(tx, last) : [];
  for (const holder of holders)
    if ((yield* keysOf(tx, holder)).has(keyOf(event))) return { runId: holder.row.id, joined: true };
  const receiver = holders.at(-1);
  if (receiver && acceptsMessages(last!)) {
    yield* signal(tx, receiver, [event]);
    return { runId: receiver.row.id, joined: true };
  }
  const paidRuns = yield* ask(tx.queries.countPaidBy(start.budgetRunId ?? runId));
  if (paidRuns >= maxRuns) return { runId, joined: false, refused: "runs" };
  yield* admit(tx, runId, start, last);
  return { runId, joined: false };
}

/** The last run of a session accepts messages unless it has ended or is being cancelled. */
const acceptsMessages = ({ row }: RunRecord): boolean => row.endedAt === undefined && !row.cancelRequested;

function* lastInSession(
  tx: Transaction,
  { sessionId, agent }: Pick<Start, "sessionId" | "agent">,
): Steps<RunRecord | undefined> {
  if (sessionId === undefined) return undefined;
  const latest = yield* ask(tx.queries.lastInSession(sessionId, agent));
  return latest === undefined ? undefined : yield* loadRun(tx, latest);
}

/** Once the last run of a session has ended, the next run continues it. */
function* admit(tx: Transaction, runId: RunId, start: Start, last: RunRecord | undefined): Steps<void> {
  const continues =
    last?.row.endedAt === undefined || start.continues
      ? start.continues
      : { runId: last.row.id, seq: last.row.seq, hash: last.hash };
  const payload: Start = continues ? { ...start, continues } : start;
  const record = yield* admitRun(tx, runId, payload);
  yield* signal(tx, record, [{ type: "RUN_STARTED", payload }]);
}

/** The run that an earlier request with the same key started. */
function* runUnderKey({ queries }: Transaction, idempotency: Idempotency): Steps<RunId | undefined> {
  const known = idempotency && (yield* ask(queries.requestUnder(idempotency.key)));
  if (!known || known.body === idempotency.body) return known?.runId;
  throw new CadreError(
    "UNPROCESSABLE",
    "This idempotency key was used for another request. Nothing was started.",
  );
}
