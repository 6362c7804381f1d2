// Decides what `cadre undo` does with each path: put an earlier version back, or keep what somebody else made of it.
//  UN1  The plan goes back from the version that is there now, one change after the other, as long as the versions match.
//  UN2  If a version does not match, somebody else has changed the file. Their version is kept, and the path is a conflict.
//  UN3  The plan depends only on the journals and the files. So an undo that was killed is finished by planning it again.

import type { FileChanges, FileVersion } from "../../journal/events.ts";

export type Version = FileVersion | null;

/** How the undo treats a path. */
export type UndoStatus =
  /** The undo restores the version of the chosen moment. */
  | "undo"
  /** The file already has the version of the chosen moment. */
  | "done"
  /** The file has somebody else's version, which stays. */
  | "conflict"
  /** Somebody else changed the file between two recorded changes. Only the later changes are taken back, so their version returns. */
  | "partly"
  /** The earlier version was not kept, so nothing changes. */
  | "unkept";

export interface UndoStep {
  path: string;
  status: UndoStatus;
  /** The current version, and the version after the undo. */
  now: Version;
  target: Version;
}

/** The versions of one path before and after each change, in the order of the changes. */
export type History = { before: Version; after: Version }[];

/** Puts the changes of all calls in order, path by path. */
export function historiesOf(found: readonly FileChanges[]): Map<string, History> {
  const histories = new Map<string, History>();
  for (const { paths } of found.toSorted((a, b) => a.at - b.at))
    for (const { path, before, after } of paths) {
      const history = histories.get(path) ?? [];
      history.push({ before, after });
      histories.set(path, history);
    }
  return histories;
}

export function planStep(path: string, history: History, now: Version): UndoStep {
  const wanted = history[0]!.before;
  if (isSameVersion(now, wanted)) return { path, status: "done", now, target: now };
  // An empty folder replaces nothing, so it can be made whatever happened to the path.
  if (now === null && wanted?.kind === "folder") return { path, status: "undo", now, target: wanted };
  let reached = now;
  for (const { before, after } of history.toReversed()) if (isLeftBy(after, reached)) reached = before;
  const step = { path, now, target: reached };
  if (isSameVersion(reached, now)) return { ...step, status: "conflict" };
  if (reached?.kind === "unkept") return { path, now, target: now, status: "unkept" };
  return { ...step, status: isSameVersion(reached, wanted) ? "undo" : "partly" };
}

/** Whether the change produced this version. A missing folder counts too: a killed undo may have removed it. */
const isLeftBy = (after: Version, version: Version): boolean =>
  isSameVersion(after, version) || (version === null && after?.kind === "folder");

/**
 * The order in which the steps are done. Paths that must go are removed first, the deepest path first, so that folders become empty.
 * Then folders and files are put back, the shallowest path first.
 */
export function orderSteps<S extends Pick<UndoStep, "path" | "target">>(steps: readonly S[]): S[] {
  const depth = ({ path }: S): number => path.split("/").length;
  const gone = steps.filter(({ target }) => target === null).toSorted((a, b) => depth(b) - depth(a));
  const back = steps.filter(({ target }) => target !== null).toSorted((a, b) => depth(a) - depth(b));
  return [...gone, ...back];
}

export function isSameVersion(a: Version, b: Version): boolean {
  if (a === null || b === null) return a === b;
  switch (a.kind) {
    case "file":
      return b.kind === "file" && a.blob === b.blob && a.mode === b.mode;
    case "link":
      return b.kind === "link" && a.to === b.to;
    case "folder":
      return b.kind === "folder";
    case "unkept":
      return b.kind === "unkept" && a.mark === b.mark;
  }
}
