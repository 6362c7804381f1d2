// Events that the store writes into a parent's journal when a child's state changes. Pure functions, so that all stores agree.

import type { EventBody, JournalEvent, Payload, Spent } from "../../journal/events.ts";
import { TERMINAL_TYPES } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunRow } from "./run-row.ts";

export function awaitedChildren({ waitingOn }: RunRow): readonly string[] {
  const kind = waitingOn?.kind;
  return kind === "child" || kind === "handoff" || kind === "child_hitl" ? (waitingOn?.items ?? []) : [];
}

/** The runs that need a person if this run is suspended: the run itself, or its descendants that block it. */
export function blockersOf(row: RunRow): readonly string[] {
  if (row.status !== "suspended") return [];
  return row.waitingOn?.kind === "child_hitl" ? (row.waitingOn.blockers ?? []) : [row.id];
}

/** The event for a waiting run whose set of blocking runs has changed. Undefined if the set is the same. */
export function blockedEvent(row: RunRow, children: readonly RunRow[]): EventBody | undefined {
  const blockers = children.flatMap(blockersOf);
  if (JSON.stringify(blockers) === JSON.stringify(row.waitingOn?.blockers ?? [])) return undefined;
  const key = `blocked/${row.seq + 1}`;
  if (blockers.length === 0) return { type: "RUN_RESUMED", payload: { by: "cadre" }, key };
  const direct = children.find((child) => blockersOf(child).length > 0)!.id;
  const waitingOn = { kind: "child_hitl" as const, items: [...awaitedChildren(row)] };
  return { type: "RUN_SUSPENDED", payload: { waitingOn, blockers, blocked_by_child_run_id: direct }, key };
}

/** P6: the event about a child's end. Undefined if the run has no parent to inform. */
export function childCompletedEvent(row: RunRow, ended: JournalEvent): EventBody | undefined {
  if (!TERMINAL_TYPES.has(ended.type) || row.parentRunId === undefined || row.parentKey === undefined)
    return undefined;
  // The parent is moved together with the child. The other store tells the parent when the child ends.
  if (ended.type === "RUN_MOVED") return undefined;
  const { summary, result, tree, untrusted } = ended.payload as Payload<"RUN_COMPLETED">;
  return {
    type: "CHILD_RUN_COMPLETED",
    payload: {
      child_run_id: row.id,
      success: ended.type === "RUN_COMPLETED",
      summary,
      key: row.parentKey,
      result,
      ...(tree ?? spentBy(row)),
      ...omitUndefined({ untrusted }),
    },
  };
}

function spentBy({ usage }: RunRow): Spent {
  const { input, output, cacheRead, cacheWrite, cost, unpriced } = usage;
  return { usage: { input, output, cacheRead, cacheWrite }, cost: unpriced > 0 ? null : cost };
}

/** E5: the event about a quarantined child. For its parent, the child has ended. */
export function childQuarantinedEvent(row: RunRow, reason: string): EventBody | undefined {
  if (row.parentRunId === undefined || row.parentKey === undefined) return undefined;
  const summary = `The run was quarantined and needs a person: ${reason}`;
  const { id, agent, parentKey } = row;
  return {
    type: "CHILD_RUN_COMPLETED",
    payload: {
      child_run_id: id,
      success: false,
      quarantined: true,
      summary,
      key: parentKey,
      result: {
        status: "failed",
        summary,
        files_modified: [],
        files_created: [],
        tests_run: null,
        tests_passed: null,
        warnings: [],
        suggestions: [],
        iteration_count: row.turns,
        duration_ms: row.usage.activeMs,
        first_cause: { run_id: id, agent, stop_reason: "error", summary },
      },
      ...spentBy(row),
    },
  };
}
