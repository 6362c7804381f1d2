// What is worth telling a person: that a tree needs them, and that a root has ended. One notice for each tree, whatever
// happens in it (U32, U49).

import type { ApprovalView } from "../../../../src/api/client/types.ts";
import type { LiveEvent } from "../../../../src/projections/formats/live-feed.ts";
import { plural } from "../../../../src/projections/words/format.ts";

export interface Notice {
  /** The tree that it is about: a later one takes the place of an earlier one. */
  rootRunId: string;
  kind: "needs-you" | "done";
  title: string;
  text: string;
  isBad: boolean;
  /** Where it leads: to the card, or to the run. */
  approvalId?: string;
}

/** Of what has come since: `before` undefined is the first look, which is no news. */
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
    text: `${first!.agent}: ${wordsFor(first!)}${more.length === 0 ? "" : `, and ${plural(more.length, "other")}`}`,
    isBad: false,
    approvalId: first!.id,
  }));
}

function wordsFor({ kind, tool, detail }: ApprovalView): string {
  if (kind === "question" && detail !== undefined) return detail.slice(0, 120);
  return kind === "tool" && tool !== undefined ? `wants to use ${tool}` : KINDS[kind];
}

const KINDS: Record<ApprovalView["kind"], string> = {
  tool: "wants to use a tool",
  question: "has a question",
  outcome: "does not know what became of a call",
  budget: "has used up its budget",
  loop: "repeats itself",
};

const HOW = { completed: "is done", failed: "has failed", cancelled: "was cancelled", running: "" };

export function runEndNotice(live: LiveEvent): Notice | undefined {
  if (live.type !== "StateUpdated") return undefined;
  const { run_id, parent_run_id, agent_id, status, ended_at, detail = "" } = live.run;
  if (parent_run_id !== undefined || ended_at === undefined) return undefined;
  return {
    rootRunId: run_id,
    kind: "done",
    title: `${agent_id} ${HOW[status]}`,
    text: detail.slice(0, 160),
    isBad: status === "failed",
  };
}
