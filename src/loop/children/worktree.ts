// Merges the work of a run that has its own git worktree into the folder around it. The parent merges a child, and a root merges itself.
//  - A merge is idempotent and is repeated after a crash, so no work is lost (D6).
//  - Work enters the worktree of a parent without a question. Before it enters the folder of the project, a person sees the whole diff,
//    unless the project's configuration says otherwise.
//  - An approval is valid for one commit. If the work changes afterwards, the person is asked again.

import { messageOf } from "../../errors.ts";
import type { EventBody, Worktree } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Ending } from "../../patterns/action.ts";
import { type Merge, mergeCallId } from "../../projections/folds/child-runs.ts";
import { MERGE_CALL, newStepCall } from "../../projections/folds/tool-call.ts";
import { applyUnattendedPolicy, approvalHash, itemTerms } from "../calls/judge.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts, MergeOutcome, WorktreeWork } from "../parts.ts";

type MergeParts = Pick<
  LoopParts,
  "authority" | "clock" | "commands" | "digest" | "files" | "worktrees" | "mayBegin" | "host" | "pid"
>;

/** The work of a run that has ended, or that has nothing left to do. */
interface Work {
  runId: string;
  agent: string;
  worktree: Worktree;
  merge: Merge;
  hasSucceeded: boolean;
  summary: string;
  files: readonly string[];
}

export async function mergeChild(runId: string, run: RunJournal, parts: MergeParts): Promise<void> {
  const { agent, worktree, merge, ended } = run.state.children.get(runId)!;
  const { success, summary, result } = ended!;
  const files = [...result.files_created, ...result.files_modified];
  const work = { runId, agent, worktree: worktree!, merge, hasSucceeded: success, summary, files };
  const isInner = (run.state.start!.mergesInto ?? []).length > 0;
  const merged = await settle(work, { isInner, folder: run.state.start!.workspace }, run, parts);
  if (!merged) return;
  const text = `${agent} (run ${runId}) worked in a git worktree of its own. ${sentence(merged)}`;
  const id = mergeCallId(runId);
  run.record({ type: "CONTEXT_ADDED", payload: { id, source: "system", text } });
}

/** Merges the work of a whole tree, whose root has a worktree of its own. The worktree stays until the root has ended. */
export async function mergeOwnWork(
  { status, summary }: Ending,
  run: RunJournal,
  parts: MergeParts,
): Promise<void> {
  const { runId, definition, state } = run;
  const work = {
    runId,
    agent: definition.name,
    worktree: state.start!.worktree!,
    merge: state.ownMerge!,
    hasSucceeded: status === "completed",
    summary,
    files: [...state.files.keys()],
  };
  await settle(work, { isInner: false, folder: state.start!.mergesInto!.at(-1)!, stays: true }, run, parts);
}

/** Merges the work, or asks a person first. Undefined if the question or the merge could not be completed now. */
async function settle(
  work: Work,
  { isInner, folder, stays }: { isInner: boolean; folder: string; stays?: boolean },
  run: RunJournal,
  parts: MergeParts,
): Promise<MergeOutcome | undefined> {
  const { runId, merge, worktree, hasSucceeded, agent } = work;
  if (!parts.mayBegin()) {
    await run.release();
    return undefined;
  }
  // A command that the run has left in the background could still change its files.
  await parts.commands.stopRun(runId);
  const message = `${agent}: ${work.summary.split("\n", 1)[0]!.slice(0, 60)}\n\nRun ${runId}`;
  const { asked } = merge;
  const rejected = rejectionOf(merge);
  if (!isInner && hasSucceeded && rejected === undefined) {
    const question = await questionFor(work, { message, files: work.files }, folder, run, parts);
    if (question) {
      run.record(question);
      return undefined;
    }
  }
  const approved = asked?.decision?.decision === "approve" ? asked.proposal!.fingerprint : undefined;
  const attempt = merge.attempts + 1;
  const base = { toolCallId: mergeCallId(runId), ...(attempt > 1 ? { attempt } : {}) };
  const { host, pid } = parts;
  if (await run.beginWork([{ type: "TOOL_STARTED", payload: { ...base, host, pid } }])) return undefined;
  const endWatch = await parts.files.watch(folder);
  const merged = await close(
    worktree,
    {
      ...{ message, files: work.files, keep: !hasSucceeded, isInner },
      ...omitUndefined({ approved, rejected, stays }),
    },
    parts,
  );
  const changes = await endWatch();
  run.record({
    type: "TOOL_RESULT",
    payload: {
      ...base,
      output: merged,
      ...filesOf(merged),
      ...omitUndefined({ changes }),
      ...(isUnmerged(merged) ? { isError: true } : {}),
    },
  });
  return merged;
}

/** TOOL_PROPOSED with the diff. Undefined if exactly this was approved, or if no person has to decide. */
async function questionFor(
  { runId, worktree, merge }: Work,
  work: WorktreeWork,
  folder: string,
  run: RunJournal,
  parts: MergeParts,
): Promise<EventBody | undefined> {
  const review = await parts.worktrees.review(worktree, work);
  if (!review) return undefined;
  const { proposal, decision } = merge.asked ?? {};
  const input = { branch: worktree.branch, into: folder, files: review.files };
  const hash = approvalHash(MERGE_CALL, input, review.commit, run, parts);
  if (decision?.decision === "approve" && proposal!.hash === hash) return undefined;
  const round = proposal ? (proposal.round ?? 1) + 1 : 1;
  const call = newStepCall(mergeCallId(runId), MERGE_CALL, input);
  const judged = applyUnattendedPolicy({ verdict: "ask", rule: "worktrees: { merge: ask }" }, run);
  return {
    type: "TOOL_PROPOSED",
    payload: {
      ...{ toolCallId: call.id, name: call.name, input, hidden: true },
      ...judged,
      // A merge is complete or it has not happened, so it is repeated after a crash.
      effect: "idempotent",
      ...(round > 1 ? { round } : {}),
      ...(judged.verdict === "ask"
        ? { hash, fingerprint: review.commit, preview: review.diff, ...itemTerms(run, parts) }
        : {}),
    },
  };
}

/** Why the work is not wanted in the folder of the project: by a person, in time, or by the policy of a run without a person. */
function rejectionOf({ asked }: Merge): string | undefined {
  if (!asked) return undefined;
  const { proposal, decision } = asked;
  if (proposal!.verdict === "deny") return `nobody is there to approve it (${proposal!.rule})`;
  if (decision?.decision === "expire") return "nobody approved it in time";
  if (decision?.decision !== "reject") return undefined;
  return `${decision.by} rejected it${decision.note ? `: ${decision.note}` : ""}`;
}

async function close(
  worktree: Worktree,
  options: Parameters<LoopParts["worktrees"]["close"]>[1],
  parts: Pick<LoopParts, "worktrees">,
): Promise<MergeOutcome> {
  try {
    return await parts.worktrees.close(worktree, options);
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
