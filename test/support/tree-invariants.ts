// The invariants between the runs of a tree, checked only from their journals. Each child is started only once.
// The parent records the end of each child once, before its own end. Nothing starts below a cancelled run.
// The spending of a tree is the sum of the spending of its runs.

import type { EventOf, JournalEvent, Payload, Spent } from "../../src/journal/events.ts";
import { TERMINAL_TYPES } from "../../src/journal/events.ts";
import type { RunRow } from "../../src/projections/folds/run-row.ts";

export interface Told {
  row: RunRow;
  events: readonly JournalEvent[];
}

export function treeProblems(runs: readonly Told[]): string[] {
  const byId = new Map(runs.map((run) => [run.row.id, run]));
  return runs.flatMap((run) => [
    ...childProblems(run, byId),
    ...parentProblems(run, byId),
    ...lateStarts(run, byId),
    ...spendingProblems(run),
  ]);
}

/** J7, P6, D2: checks the events about children in the parent's journal. */
function childProblems({ row, events }: Told, byId: ReadonlyMap<string, Told>): string[] {
  const problems: string[] = [];
  const started = payloadsOf(events, "CHILD_RUN_STARTED");
  for (const { child_run_id: id } of started) {
    const ends = payloadsOf(events, "CHILD_RUN_COMPLETED").filter((ended) => ended.child_run_id === id);
    if (!byId.has(id)) problems.push(`J7 ${row.id} has started ${id}, which is not there`);
    if (started.filter((other) => other.child_run_id === id).length > 1)
      problems.push(`J7 ${id} was started twice`);
    if (ends.length > 1) problems.push(`I5 ${row.id} was told twice of the end of ${id}`);
    if (ends.length === 0 && row.endedAt !== undefined) problems.push(`D2 ${row.id} ended before ${id}`);
    if (ends.length === 0 && byId.get(id)?.row.endedAt !== undefined)
      problems.push(`P6 ${row.id} does not know that ${id} has ended`);
  }
  return problems;
}

/** J7: compares the journal of a child with the journal of its parent. */
function parentProblems({ row }: Told, byId: ReadonlyMap<string, Told>): string[] {
  const parent = byId.get(row.parentRunId ?? "");
  if (!parent) return [];
  const started = payloadsOf(parent.events, "CHILD_RUN_STARTED").some(
    ({ child_run_id: id }) => id === row.id,
  );
  const orphan = parent.row.endedAt !== undefined && row.endedAt === undefined;
  return [
    ...(started ? [] : [`J7 ${row.id} was started by nobody`]),
    ...(orphan ? [`D4 ${row.id} outlives its parent`] : []),
  ];
}

/** I7: finds work that was started after a cancel. */
function lateStarts(run: Told, byId: ReadonlyMap<string, Told>): string[] {
  const cancels: number[] = [];
  for (let above: Told | undefined = run; above; above = byId.get(above.row.parentRunId ?? "")) {
    cancels.push(above.events.find(({ type }) => type === "CANCEL_REQUESTED")?.position ?? Infinity);
  }
  const cancelled = Math.min(...cancels);
  const late = run.events.find(
    (event) => BEGINNINGS.has(event.type) && event.position > cancelled && !isReport(event, run.events),
  );
  return late ? [`I7 ${run.row.id} #${late.seq} ${late.type} after a cancel in its lineage`] : [];
}

/** True if the event only reports a call that an external program began without asking. Such a report can come after a cancel. */
export const isReport = ({ payload: started }: JournalEvent, events: readonly JournalEvent[]): boolean =>
  "toolCallId" in started &&
  events.some(
    ({ type, payload }) =>
      type === "TOOL_PROPOSED" && payload.toolCallId === started.toolCallId && payload.basis === "unasked",
  );

const BEGINNINGS: ReadonlySet<string> = new Set(["TOOL_STARTED", "MODEL_CALL_STARTED", "CHILD_RUN_STARTED"]);

function spendingProblems({ row, events }: Told): string[] {
  const last = events.at(-1)!;
  const children = payloadsOf(events, "CHILD_RUN_COMPLETED");
  if (!TERMINAL_TYPES.has(last.type) || !events.some(({ type }) => type === "CHILD_RUN_STARTED")) return [];
  const { tree } = last.payload as Payload<"RUN_COMPLETED">;
  const sum = spentBy(row, children);
  return tree && sameSpent(tree, sum)
    ? []
    : [`B1 ${row.id} says that its tree has spent ${JSON.stringify(tree)}, not ${JSON.stringify(sum)}`];
}

/** The spending of the run itself, plus the spending that its children reported. */
export function spentBy({ usage }: RunRow, children: readonly Payload<"CHILD_RUN_COMPLETED">[]): Spent {
  const { input, output, cacheRead, cacheWrite } = usage;
  const sum = {
    usage: { input, output, cacheRead, cacheWrite },
    cost: usage.unpriced > 0 ? null : usage.cost,
  };
  for (const child of children) {
    if (!child.usage) continue;
    sum.usage.input += child.usage.input;
    sum.usage.output += child.usage.output;
    sum.usage.cacheRead += child.usage.cacheRead ?? 0;
    sum.usage.cacheWrite += child.usage.cacheWrite ?? 0;
    sum.cost = sum.cost === null || child.cost == null ? null : sum.cost + child.cost;
  }
  return sum;
}

export function sameSpent(left: Spent, right: Spent): boolean {
  const near = left.cost === right.cost || Math.abs((left.cost ?? NaN) - (right.cost ?? NaN)) < 1e-9;
  const same = (["input", "output", "cacheRead", "cacheWrite"] as const).every(
    (kind) => (left.usage[kind] ?? 0) === (right.usage[kind] ?? 0),
  );
  return near && same;
}

function payloadsOf<T extends JournalEvent["type"]>(events: readonly JournalEvent[], type: T): Payload<T>[] {
  return events
    .filter((event): event is EventOf<T> => event.type === type)
    .map(({ payload }) => payload as Payload<T>);
}
