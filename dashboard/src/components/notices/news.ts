// U32, U49: notices for the user. A notice says that a tree needs a person or that a root run has ended.
// Each tree has at most one notice.

import type { ApprovalView } from "../../../../src/api/client/types.ts";
import type { LiveEvent } from "../../../../src/projections/formats/live-feed.ts";
import { ITEM_HEADLINES } from "../../../../src/projections/words/decisions.ts";
import { plural } from "../../../../src/projections/words/format.ts";

export interface Notice {
  /** The tree that the notice is about. A later notice replaces an earlier notice of the same tree. */
  rootRunId: string;
  kind: "needs-you" | "done";
  title: string;
  text: string;
  isBad: boolean;
  /** The inbox item to open; absent if the notice is about the end of a run. */
  approvalId?: string;
}

/** Notices for items that are new since `before`. On the first load `before` is undefined, and there are no notices. */
export function newApprovalNotices(
  before: readonly ApprovalView[] | undefined,
  now: readonly ApprovalView[],
): Notice[] {
  if (!before) return [];
  const known = new Set(before.map(({ id }) => id));
  const trees = Map.groupBy(
    now.filter(({ id }) => !known.has(id)),
    ({ rootRunId }) => rootRunId,
  );
  return [...trees].map(([rootRunId, [first, ...more]]) => ({
    rootRunId,
    kind: "needs-you",
    title: `${first!.path[0] ?? first!.agent} needs you`,
    text: `${first!.agent}: ${requestText(first!)}${more.length === 0 ? "" : `, and ${plural(more.length, "other")}`}`,
    isBad: false,
    approvalId: first!.id,
  }));
}

function requestText({ kind, tool, detail }: ApprovalView): string {
  if (kind === "question" && detail !== undefined) return detail.slice(0, 120);
  return kind === "tool" && tool !== undefined ? `wants to use ${tool}` : ITEM_HEADLINES[kind];
}

const ENDINGS = { completed: "is done", failed: "has failed", cancelled: "was cancelled", running: "" };

export function runEndNotice(live: LiveEvent): Notice | undefined {
  if (live.type !== "StateUpdated") return undefined;
  const { run_id, parent_run_id, agent_id, status, ended_at, detail = "" } = live.run;
  if (parent_run_id !== undefined || ended_at === undefined) return undefined;
  return {
    rootRunId: run_id,
    kind: "done",
    title: `${agent_id} ${ENDINGS[status]}`,
    text: plainText(detail).slice(0, 160),
    isBad: status === "failed",
  };
}

/** The text of Markdown without its marks, in one line. */
export const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/```[^\n]*\n|```/g, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+)/gm, "")
    .replaceAll(/^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?)?\s*$/gm, "")
    .replaceAll(/(\*\*|__|`)(.+?)\1/g, "$2")
    .replaceAll(/\s*\|\s*/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

/** Placeholder for the root run id in the notice that sums up the quiet hours, because this notice is about all trees. */
export const DIGEST = "digest";

/** U32: sums up the notices of quiet hours; undefined if there are none. Only the latest notice of each tree is used. */
export function summarizeNotices(notices: readonly Notice[]): Notice | undefined {
  const trees = [...new Map(notices.map((notice) => [notice.rootRunId, notice])).values()];
  const count = (matches: (notice: Notice) => boolean): number => trees.filter(matches).length;
  const asked = count(({ kind }) => kind === "needs-you");
  const failed = count(({ isBad }) => isBad);
  const done = trees.length - asked - failed;
  if (trees.length === 0) return undefined;
  const parts = [
    ...(asked > 0 ? [`${plural(asked, "tree")} ${asked === 1 ? "needs" : "need"} you`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(done > 0 ? [`${done} done`] : []),
  ];
  return {
    rootRunId: DIGEST,
    kind: asked > 0 ? "needs-you" : "done",
    title: "During quiet hours",
    text: parts.join(", "),
    isBad: failed > 0,
  };
}
