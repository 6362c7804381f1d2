import {
  criticalPath,
  type Lifetime,
  type PathPiece,
} from "../../../../src/projections/views/critical-path.ts";
import { waterfallOf } from "../../live/folds.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { treeLevels, treeOrder } from "../run-tree/roll-up.ts";

export interface TreeRow {
  run: RunJournal;
  depth: number;
  life: Lifetime;
  /** The parts of the critical path in this run. */
  pieces: readonly PathPiece[];
}

export interface TreeTime {
  rows: TreeRow[];
  path: PathPiece[];
}

/** The runs of a tree with their spans, a parent before its children, and the critical path. */
export function treeTime(journal: TreeJournal, rootId: string, now: number): TreeTime {
  const order = treeOrder(journal.runs, rootId);
  const levels = treeLevels(journal.runs, order);
  const lives = new Map(order.map((runId) => [runId, lifeOf(journal.runs.get(runId)!, now)]));
  const path = criticalPath(lives, rootId);
  const byRun = Map.groupBy(path, (piece) => piece.runId);
  const rows = order.map((runId) => ({
    run: journal.runs.get(runId)!,
    depth: levels.get(runId)! - 1,
    life: lives.get(runId)!,
    pieces: byRun.get(runId) ?? [],
  }));
  return { rows, path };
}

function lifeOf(run: RunJournal, now: number): Lifetime {
  const { createdAt, updatedAt, endedAt } = run.row;
  const to = endedAt ?? Math.max(now, updatedAt);
  return { from: createdAt, to, spans: waterfallOf(run.events).spans, children: run.children };
}
