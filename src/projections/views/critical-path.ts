// The critical path of a run through its whole tree (U09): for each moment, the activity that delayed the end of the run.
// While a run waits for several children, the path follows the child that ends last.
//  T5  The pieces of the path have no gaps or overlaps from the start of the run to its end, so their shares add up to 1.

import type { Activity, Span } from "./waterfall.ts";

export interface Lifetime {
  from: number;
  to: number;
  /** The spans of the run. If the last span is open, it extends to `to`. */
  spans: readonly Span[];
  children: readonly string[];
}

export interface PathPiece {
  runId: string;
  activity: Activity;
  from: number;
  to: number;
}

export function criticalPath(lives: ReadonlyMap<string, Lifetime>, runId: string): PathPiece[] {
  const life = lives.get(runId);
  return life ? piecesOf(lives, runId, life, life.from, life.to) : [];
}

/** Time on the path by activity, largest first. Empty if no time has passed. */
export function activityShares(
  path: readonly PathPiece[],
): { activity: Activity; ms: number; share: number }[] {
  const spent = new Map<Activity, number>();
  for (const { activity, from, to } of path) spent.set(activity, (spent.get(activity) ?? 0) + to - from);
  const total = [...spent.values()].reduce((sum, ms) => sum + ms, 0);
  return [...spent]
    .filter(([, ms]) => ms > 0)
    .map(([activity, ms]) => ({ activity, ms, share: ms / total }))
    .sort((a, b) => b.ms - a.ms);
}

function piecesOf(
  lives: ReadonlyMap<string, Lifetime>,
  runId: string,
  life: Lifetime,
  from: number,
  to: number,
): PathPiece[] {
  return life.spans.flatMap((span) => {
    const [start, end] = [Math.max(span.from, from), Math.min(span.to ?? life.to, to)];
    if (start >= end) return [];
    const own = (a: number, b: number): PathPiece => ({ runId, activity: span.activity, from: a, to: b });
    if (!span.below) return [own(start, end)];
    const pieces: PathPiece[] = [];
    // Goes backwards from the end: to the child that worked last, then to the child that worked before it, and so on.
    for (let at = end; at > start; ) {
      const last = latestChild(lives, life.children, at, start);
      if (!last) {
        pieces.unshift(own(start, at));
        break;
      }
      const ended = Math.min(last.life.to, at);
      if (ended < at) pieces.unshift(own(ended, at));
      const began = Math.max(last.life.from, start);
      pieces.unshift(...piecesOf(lives, last.id, last.life, began, ended));
      at = began;
    }
    return pieces;
  });
}

/** The child that ended last, among the children that worked between `since` and `at`. */
function latestChild(
  lives: ReadonlyMap<string, Lifetime>,
  children: readonly string[],
  at: number,
  since: number,
): { id: string; life: Lifetime } | undefined {
  let latest: { id: string; life: Lifetime } | undefined;
  for (const id of children) {
    const life = lives.get(id);
    if (!life || life.from >= at || life.to <= since || life.from === life.to) continue;
    // Several children can still be working at `at`, because an event can split a wait. Of these children, the one that ends last is chosen.
    const later = latest ? Math.min(life.to, at) - Math.min(latest.life.to, at) : 1;
    if (later > 0 || (later === 0 && latest && life.to > latest.life.to)) latest = { id, life };
  }
  return latest;
}
