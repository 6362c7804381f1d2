// Merges the work of a child that has its own git worktree.
// A merge is idempotent and is repeated after a crash, so no work is lost (D6).

import { messageOf } from "../../errors.ts";
import type { EventBody, Worktree } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type ChildRun, mergeCallId } from "../../projections/folds/child-runs.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts, MergeOutcome } from "../parts.ts";

export async function mergeChild(
  runId: string,
  run: RunJournal,
  parts: Pick<LoopParts, "commands" | "files" | "worktrees" | "mayBegin" | "host" | "pid">,
): Promise<void> {
  const child = run.state.children.get(runId)!;
  if (!parts.mayBegin()) return run.release();
  const attempt = child.merge.attempts + 1;
  const base = { toolCallId: mergeCallId(runId), ...(attempt > 1 ? { attempt } : {}) };
  const { host, pid } = parts;
  const intent: EventBody = { type: "TOOL_STARTED", payload: { ...base, host, pid } };
  const refused = await run.beginWork([intent]);
  if (refused) return;
  // A command that the child has left in the background could still change its files.
  await parts.commands.stopRun(runId);
  const endWatch = await parts.files.watch(run.state.start!.workspace);
  const merged = await close(child, child.worktree!, parts);
  const changes = await endWatch();
  const text = `${child.agent} (run ${runId}) worked in a git worktree of its own. ${sentence(merged)}`;
  const result: EventBody = {
    type: "TOOL_RESULT",
    payload: {
      ...base,
      output: merged,
      ...filesOf(merged),
      ...omitUndefined({ changes }),
      ...(isUnmerged(merged) ? { isError: true } : {}),
    },
  };
  const note = { id: base.toolCallId, source: "system" as const, text };
  run.record(result, { type: "CONTEXT_ADDED", payload: note });
}

/** Merges the child's work. The work of a failed or cancelled child stays on its branch, where people can look at it. */
async function close(
  child: ChildRun,
  worktree: Worktree,
  parts: Pick<LoopParts, "worktrees">,
): Promise<MergeOutcome> {
  const { success, summary, result } = child.ended!;
  const files = [...result.files_created, ...result.files_modified];
  const message = `${child.agent}: ${summary.split("\n", 1)[0]!.slice(0, 60)}\n\nRun ${child.runId}`;
  try {
    return await parts.worktrees.close(worktree, { message, keep: !success, files });
  } catch (error) {
    return { status: "kept", branch: worktree.branch, files: [], detail: messageOf(error) };
  }
}

const isUnmerged = ({ status }: MergeOutcome): boolean => status === "conflict" || status === "kept";

function filesOf(merged: MergeOutcome) {
  if (merged.status !== "merged") return {};
  return { files: merged.files.map((path) => ({ path, change: "modified" as const })) };
}

function sentence(merged: MergeOutcome): string {
  switch (merged.status) {
    case "unchanged":
      return "It changed no files.";
    case "merged":
      return `Its work is merged here: ${merged.files.join(", ")}.`;
    case "conflict":
    case "kept":
      return `Its work was NOT merged; all of it is on the branch ${merged.branch}. ${merged.detail}`;
  }
}
