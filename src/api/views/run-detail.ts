// Shows one run in detail: its row, its start and end, and its children.

import { z } from "zod";
import { Limits } from "../../journal/definition.ts";
import { type EventOf, type JournalEvent, ResultEnvelope } from "../../journal/events.ts";
import { Todos } from "../../journal/todo.ts";
import { currentRunState } from "../../loop/drive/run-state-cache.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Todo } from "../../projections/folds/todos.ts";
import type { Store } from "../../stores/store.ts";
import { namedObject, nameSchema, RunSummary, RunUsageView } from "../routes/schemas.ts";
import { answeredRuns } from "./answered-runs.ts";
import { subtreeOf, unlessDamaged } from "./read-runs.ts";
import { totalUsage } from "./run-tree.ts";
import { asUnreadable, markUnreadable } from "./unreadable-runs.ts";

/** Progress of a cancellation. */
export const Stopping = namedObject("Stopping", {
  /** Number of runs in `of` that have already ended. */
  done: z.int(),
  /** Number of runs to be cancelled: this run and its descendants, except runs that had ended before the request. */
  of: z.int(),
});
export type Stopping = z.infer<typeof Stopping>;

export const RunDetail = nameSchema(
  "RunDetail",
  RunSummary.extend({
    input: z.unknown().optional(),
    /** The run's limits. Absent if the beginning of the journal cannot be read. */
    limits: Limits.optional(),
    output: z.unknown().optional(),
    result: ResultEnvelope.optional(),
    /** Usage of the run and all its descendants. Each model call is counted once. */
    treeUsage: RunUsageView,
    /** The child runs, sorted by start time. */
    children: z.array(RunSummary),
    /** The progress of a cancellation. Present while the run is being cancelled. */
    stopping: Stopping.optional(),
    /** The agent's latest to-do list. */
    todos: Todos.optional(),
    /** The worker that drives the run now. */
    worker: z.string().optional(),
  }),
);
export type RunDetail = z.infer<typeof RunDetail>;

export async function runDetail(store: Store, found: RunRow): Promise<RunDetail> {
  const [marked] = await markUnreadable(store, [found]);
  const { row, todos } = await todosOf(store, marked!);
  const [[first], [last], tree, answered, worker] = await Promise.all([
    eventsOf(store, row.id, 0, 1),
    eventsOf(store, row.id, row.seq - 1, 1),
    subtreeOf(store, row),
    answeredRuns(store, [row]),
    row.endedAt === undefined ? store.leases.driverOf(row.id) : undefined,
  ]);
  const { limits, input } = (first as EventOf<"RUN_STARTED"> | undefined)?.payload ?? {};
  return {
    ...row,
    ...(answered.has(row.id) ? { answered: true } : {}),
    ...omitUndefined({ worker, input, limits, stopping: await cancelProgress(store, row, tree) }),
    ...endOf(last),
    ...(todos.length === 0 ? {} : { todos }),
    treeUsage: totalUsage(tree),
    children: tree.filter((below) => below.parentRunId === row.id),
  };
}

/** Reads the run's to-do list. If the journal cannot be read, the list is empty, and the row says that the run is quarantined. */
const todosOf = (store: Store, row: RunRow): Promise<{ row: RunRow; todos: Todo[] }> =>
  unlessDamaged(
    async () => ({ row, todos: (await currentRunState(store, row.id)).todos }),
    ({ message }) => ({ row: asUnreadable(row, message), todos: [] }),
  );

function endOf(last: JournalEvent | undefined): Pick<RunDetail, "output" | "result"> {
  switch (last?.type) {
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED": {
      const { output, result } = last.payload;
      return { ...omitUndefined({ output }), result };
    }
    default:
      return {};
  }
}

/**
 * Computes the progress of a cancellation from the journals (U41). Runs that had ended before the request are not included.
 * `rows` contains the run and its descendants. Returns undefined if the run is not being cancelled.
 */
async function cancelProgress(
  store: Store,
  top: RunRow,
  rows: readonly RunRow[],
): Promise<Stopping | undefined> {
  if (!top.cancelRequested || top.endedAt !== undefined) return undefined;
  const cancel = await cancelOf(store, top);
  if (!cancel) return undefined;
  const live = rows.filter(({ endedAt }) => endedAt === undefined);
  const ended = await Promise.all(
    rows.filter(({ endedAt }) => endedAt !== undefined).map((row) => lastEvent(store, row)),
  );
  const stopped = ended.filter((event) => event !== undefined && event.position > cancel.position);
  return { done: stopped.length, of: stopped.length + live.length };
}

const WINDOW = 50;

/** Finds the cancellation request. Searches from the end, because few events follow a cancellation (P7). */
async function cancelOf(store: Store, { id, seq }: RunRow): Promise<JournalEvent | undefined> {
  for (let end = seq; end > 0; end -= WINDOW) {
    const begin = Math.max(0, end - WINDOW);
    const events = await eventsOf(store, id, begin, end - begin);
    const cancel = events.find(({ type }) => type === "CANCEL_REQUESTED");
    if (cancel) return cancel;
  }
  return undefined;
}

async function lastEvent(store: Store, { id, seq }: RunRow): Promise<JournalEvent | undefined> {
  const [last] = await eventsOf(store, id, seq - 1, 1);
  return last;
}

/** P9: reads a damaged journal as empty, so that it hides neither its own run nor the run's ancestors. */
const eventsOf = (store: Store, id: string, after: number, limit: number): Promise<JournalEvent[]> =>
  unlessDamaged(
    () => store.journal.read(id, after, limit),
    () => [],
  );
