// One run: its row, how it began and ended, and what is below it.

import { z } from "zod";
import { Limits } from "../../journal/definition.ts";
import type { EventOf, JournalEvent } from "../../journal/events.ts";
import { ResultEnvelope } from "../../journal/events.ts";
import { Todos } from "../../journal/todo.ts";
import { currentRunState } from "../../loop/drive/run-state-cache.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { Todo } from "../../projections/folds/todos.ts";
import type { Store } from "../../stores/store.ts";
import { named, RunSummary, RunUsageView } from "../routes/schemas.ts";
import { isDamagedJournal } from "../server/http-errors.ts";
import { cancelProgress } from "../stopping.ts";
import { subtreeOf } from "../subtree.ts";
import { answeredRuns } from "./answered-runs.ts";
import { totalUsage } from "./run-tree.ts";
import { markUnreadable } from "./unreadable-runs.ts";

/** How far a cancel has come. */
export const Stopping = named(
  "Stopping",
  z.object({
    /** Runs that have ended since. */
    done: z.int(),
    /** Runs, this one and its descendants, that had not ended when it was asked for. */
    of: z.int(),
  }),
);
export type Stopping = z.infer<typeof Stopping>;

export const RunDetail = named(
  "RunDetail",
  RunSummary.extend({
    input: z.unknown().optional(),
    limits: Limits,
    output: z.unknown().optional(),
    result: ResultEnvelope.optional(),
    /** Of the run and all its descendants; each model call counts once. */
    treeUsage: RunUsageView,
    /** In the order in which they were started. */
    children: z.array(RunSummary),
    /** Present while the run is being cancelled. */
    stopping: Stopping.optional(),
    /** The latest list that the agent has made of what is to do. */
    todos: Todos.optional(),
    /** The worker that drives it now. */
    worker: z.string().optional(),
  }),
);
export type RunDetail = z.infer<typeof RunDetail>;

export async function runDetail(store: Store, found: RunRow): Promise<RunDetail> {
  const row = (await markUnreadable(store, [found]))[0]!;
  const [[first], [last], tree, todos, answered, worker] = await Promise.all([
    store.journal.read(row.id, 0, 1),
    store.journal.read(row.id, row.seq - 1, 1),
    subtreeOf(store, row),
    todosOf(store, row),
    answeredRuns(store, [row]),
    row.endedAt === undefined ? store.leases.driverOf(row.id) : undefined,
  ]);
  const { limits, input } = (first as EventOf<"RUN_STARTED">).payload;
  const stopping = await cancelProgress(store, row, tree);
  return {
    ...row,
    ...(answered.has(row.id) ? { answered: true } : {}),
    ...(worker === undefined ? {} : { worker }),
    ...(input === undefined ? {} : { input }),
    limits,
    ...endOf(last),
    ...(stopping === undefined ? {} : { stopping }),
    ...(todos.length === 0 ? {} : { todos }),
    treeUsage: totalUsage(tree),
    children: tree.filter((below) => below.parentRunId === row.id),
  };
}

/** A damaged journal still has a row, which is shown without it. */
async function todosOf(store: Store, { id }: RunRow): Promise<Todo[]> {
  try {
    return (await currentRunState(store, id)).todos;
  } catch (error) {
    if (!isDamagedJournal(error)) throw error;
    return [];
  }
}

function endOf(last: JournalEvent | undefined): Pick<RunDetail, "output" | "result"> {
  switch (last?.type) {
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED": {
      const { output, result } = last.payload;
      return { ...(output === undefined ? {} : { output }), result };
    }
    default:
      return {};
  }
}
