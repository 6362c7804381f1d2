import type { PathPiece } from "../../../../src/projections/views/critical-path.ts";
import { criticalPath, type Lifetime } from "../../../../src/projections/views/critical-path.ts";
import { waterfallOf } from "../../live/folds.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";

export interface TreeRow {
  run: RunJournal;
  depth: number;
  life: Lifetime;
  /** What of the critical path is in it. */
  pieces: readonly PathPiece[];
}

export interface TreeTime {
  rows: TreeRow[];
  path: PathPiece[];
}

/** The runs of a tree with their time, a parent before its children. */
export function treeTime(journal: TreeJournal, rootId: string, now: number): TreeTime {
  const order: { run: RunJournal; depth: number }[] = [];
  const visit = (runId: string, depth: number): void => {
    const run = journal.runs.get(runId);
    if (!run) return;
    order.push({ run, depth });
    for (const child of run.children) visit(child, depth + 1);
  };
  visit(rootId, 0);
  const lives = new Map(order.map(({ run }) => [run.row.id, lifeOf(run, now)]));
  const path = criticalPath(lives, rootId);
  const byRun = Map.groupBy(path, (piece) => piece.runId);
  const rows = order.map(({ run, depth }) => ({
    run,
    depth,
    life: lives.get(run.row.id)!,
    pieces: byRun.get(run.row.id) ?? [],
  }));
  return { rows, path };
}

function lifeOf(run: RunJournal, now: number): Lifetime {
  const { createdAt, updatedAt, endedAt } = run.row;
  const to = endedAt ?? Math.max(now, updatedAt);
  return { from: createdAt, to, spans: waterfallOf(run.events).spans, children: run.children };
}
