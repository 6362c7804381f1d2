// Checks that the journals of a tree agree about its children. It needs only the journals, and finds a run that was
// removed or
// cut short although its own hash chain is intact (J7, P6).

import { isDeepStrictEqual } from "node:util";
import { type EventOf, type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import { childCompletedEvent } from "../../projections/folds/parent-events.ts";
import { foldRow } from "../../projections/folds/run-row.ts";
import type { Journals } from "../../projections/views/causes.ts";
import type { ReceiptProblem } from "./check-receipts.ts";

export function findTreeProblem(journals: Journals): ReceiptProblem | undefined {
  for (const journal of journals.values()) {
    for (const event of journal) {
      const message = problemAt(event, journals);
      if (message !== undefined) return { runId: event.runId, seq: event.seq, message };
    }
  }
  return undefined;
}

function problemAt(event: JournalEvent, journals: Journals): string | undefined {
  if (event.type === "CHILD_RUN_STARTED") return missingChild(event, journals);
  return event.type === "CHILD_RUN_COMPLETED" ? endProblem(event, journals) : undefined;
}

function missingChild(event: EventOf<"CHILD_RUN_STARTED">, journals: Journals): string | undefined {
  const { child_run_id: id } = event.payload;
  if (journals.has(id)) return undefined;
  return `Run ${id}, which event ${event.seq} of run ${event.runId} has started, is not there.`;
}

function endProblem(event: EventOf<"CHILD_RUN_COMPLETED">, journals: Journals): string | undefined {
  const { child_run_id: id } = event.payload;
  const child = journals.get(id);
  // E5: for its parent the child has ended. Its later events are not passed on.
  if (!child || event.payload.quarantined) return undefined;
  const last = child.at(-1)!;
  const says = `event ${event.seq} of run ${event.runId} says`;
  if (!TERMINAL_TYPES.has(last.type))
    return `The end of run ${id}, which ${says} that it has, is not there: its journal stops at event ${last.seq}.`;
  const told = childCompletedEvent(foldRow(child), last);
  // It was moved together with its parent, which is told of the end elsewhere.
  if (last.type === "RUN_MOVED" || isDeepStrictEqual(plain(told?.payload), plain(event.payload)))
    return undefined;
  return `Run ${id} has not ended as ${says}.`;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
