// What waits for a person, with all that the person decides by: where it comes from, what waits for it, what happened
// before it, and what it would do. Everything is read from journals and from the recorded input.

import type { RunId } from "../../ids.ts";
import type { JournalEvent } from "../../journal/events.ts";
import { openItems } from "../../projections/folds/approvals.ts";
import { blockersOf } from "../../projections/folds/parent-events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { type RunState, runStateProjection } from "../../projections/folds/run-state.ts";
import { fold } from "../../projections/projection.ts";
import { timelineProjection } from "../../projections/views/timeline.ts";
import type { ApprovalRef, Store } from "../../stores/store.ts";
import { allRuns } from "../all-runs.ts";
import type { ApprovalView } from "../client/types.ts";
import type { ApiParts } from "../parts.ts";
import { isDamagedJournal } from "../server/http-errors.ts";
import { callDetails } from "../shown-call.ts";
import { totalUsage } from "./run-tree.ts";

const RECENT = 3;
/** That it asks, waits and calls its model is known. */
const ASKING: ReadonlySet<string> = new Set(["approval", "wait", "model"]);

export async function approvalViews(
  { store, people }: ApiParts,
  refs: readonly ApprovalRef[],
): Promise<ApprovalView[]> {
  const runIds = [...new Set(refs.map((ref) => ref.runId))];
  const views = new Map<string, ApprovalView>();
  const trees = new Map<string, RunRow[]>();
  for (const runId of runIds) {
    const run = await readRun(store, runId);
    const items = run ? openItems(run.state) : [];
    if (!run || items.length === 0) continue;
    const { rootRunId: root, workspace } = run.state.start!;
    const tree = trees.get(root) ?? (await Array.fromAsync(allRuns(store, { root })));
    trees.set(root, tree);
    const around = circumstances(runId, tree, run);
    for (const item of items)
      views.set(`${runId}:${item.itemId}`, {
        ...item,
        ...around,
        ...(item.kind === "tool" ? callDetails(item.tool, item.input, workspace, people) : {}),
      });
  }
  return refs.flatMap(({ runId, itemId }) => views.get(`${runId}:${itemId}`) ?? []);
}

interface ReadRun {
  state: RunState;
  events: JournalEvent[];
}

/** A damaged run is set aside; it must not hide what waits in the others. */
async function readRun(store: Store, runId: RunId): Promise<ReadRun | undefined> {
  try {
    const events = await store.journal.read(runId);
    return { state: fold(runStateProjection, events), events };
  } catch (error) {
    if (!isDamagedJournal(error)) throw error;
    const seq = error.details?.["seq"] as number | undefined;
    await store.leases.quarantine({ runId, reason: error.message, seq });
    return undefined;
  }
}

function circumstances(
  runId: RunId,
  tree: readonly RunRow[],
  { state: { turns, usage, files }, events }: ReadRun,
): Pick<ApprovalView, "path" | "trail" | "blocks" | "spent" | "did" | "recent"> {
  const trail = trailOf(runId, tree);
  const held = tree.filter((row) => blockersOf(row).includes(runId));
  const { entries } = fold(timelineProjection, events);
  const before = entries.filter(({ kind }) => !ASKING.has(kind)).slice(-RECENT);
  return {
    path: trail.map(({ agent }) => agent),
    trail: trail.map(({ id, agent, task }) => ({ runId: id, agent, task })),
    blocks: { runs: held.length, root: held.some(({ parentRunId }) => parentRunId === undefined) },
    spent: { run: spentOf(usage), tree: spentOf(totalUsage(tree)) },
    did: {
      turns,
      toolCalls: usage.toolCalls,
      files: [...files].map(([path, change]) => ({ path, change })),
    },
    recent: before.map(({ seq, ts, kind, title, tone }) => ({ seq, ts, kind, title, tone })),
  };
}

function trailOf(runId: RunId, tree: readonly RunRow[]): RunRow[] {
  const rows = new Map(tree.map((row) => [row.id, row]));
  const trail: RunRow[] = [];
  for (let row = rows.get(runId); row; row = rows.get(row.parentRunId ?? "")) trail.unshift(row);
  return trail;
}

const spentOf = ({ cost, unpriced }: RunRow["usage"]) => ({ cost, unpriced });
