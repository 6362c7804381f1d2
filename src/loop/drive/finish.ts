// Writes the end of a run: its result, and why it ended (P11). Counts and file lists are computed from the journal.

import type {
  EventBody,
  FirstCause,
  Payload,
  ResultEnvelope,
  Spent,
  StopReason,
  Unmerged,
} from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Ending } from "../../patterns/action.ts";
import { toolResult } from "../../patterns/events.ts";
import { reportTool } from "../../patterns/team-role.ts";
import type { RunState } from "../../projections/folds/run-state.ts";
import { taintToPassOn } from "../../projections/folds/taint.ts";
import { isLimit } from "../../projections/words/stop-reasons.ts";
import type { RunJournal } from "./run-journal.ts";

const TYPES = { completed: "RUN_COMPLETED", failed: "RUN_FAILED", cancelled: "RUN_CANCELLED" } as const;

export async function finishRun(ending: Ending, run: RunJournal): Promise<void> {
  const { status, stopReason, summary, output } = ending;
  const { state, transcript } = run;
  const unseen = transcript.unseen.map((context) => context.text);
  const payload: Payload<"RUN_COMPLETED"> = {
    stopReason,
    summary,
    ...omitUndefined({ output }),
    result: resultEnvelope(ending, state),
    ...(state.children.size > 0 ? { tree: treeSpent(state) } : {}),
    ...(unseen.length > 0 ? { unseen } : {}),
    ...taintToPassOn(state.taint),
  };
  const ended = { type: TYPES[status], payload } as EventBody;
  await run.end([...reportResult(run), ended]);
}

export function resultEnvelope(ending: Ending, state: RunState): ResultEnvelope {
  const { status, stopReason, summary, details, output, team } = ending;
  const cut = isLimit(stopReason) ? stopReason : undefined;
  const unmerged = [...state.unmerged, ...unmergedOwnWork(state)];
  const warnings = [...(ending.warnings ?? []), ...unmerged.map(unmergedWarning)];
  const paths = state.ownMerge && !state.ownMerge.isThere ? [] : [...state.files];
  return {
    status,
    summary,
    ...omitUndefined({ details }),
    files_modified: paths.filter(([, change]) => change === "modified").map(([path]) => path),
    files_created: paths.filter(([, change]) => change === "created").map(([path]) => path),
    tests_run: state.tests?.run ?? null,
    tests_passed: state.tests?.passed ?? null,
    warnings: cut ? [cutWarning(cut), ...warnings] : warnings,
    suggestions: ending.suggestions ?? [],
    iteration_count: state.turns,
    duration_ms: state.usage.activeMs,
    ...omitUndefined({ output, stop_reason: cut, team }),
    ...(status === "failed" ? { first_cause: ending.cause ?? ownCause(ending, state) } : {}),
    ...omitUndefined({ failed_stage: ending.failedStage }),
    ...(unmerged.length > 0 ? { unmerged } : {}),
  };
}

/** The work of a root in a worktree that ends without a merge, because it was cancelled. */
function unmergedOwnWork({ runId, start, ownMerge, files }: RunState): Unmerged[] {
  if (!ownMerge || ownMerge.done || files.size === 0) return [];
  const { branch } = start!.worktree!;
  const detail = `The run ended before its work was merged: look at it, then \`git merge ${branch}\`.`;
  return [{ run_id: runId, agent: start!.agent, branch, files: [...files.keys()], detail }];
}

const unmergedWarning = ({ agent, branch, detail }: Unmerged): string =>
  `The work of ${agent} is NOT in the files here. It is on the branch ${branch}. ${detail}`;

/** S2-25: tells the parent that the result may be incomplete, even if the agent still reported. */
const cutWarning = (reason: StopReason): string =>
  `Cut off by a limit (${reason}) before it was done: the result may be incomplete.`;

export function ownCause({ stopReason, summary }: Ending, { runId, start }: RunState): FirstCause {
  return { run_id: runId, agent: start!.agent, stop_reason: stopReason, summary };
}

/** Usage of the whole tree. The run's own model calls are counted here; the usage of descendants comes from the children's end events. */
function treeSpent({ usage, children }: RunState): Spent {
  const { input, output, cacheRead, cacheWrite, unpriced } = usage;
  const sum = { input, output, cacheRead, cacheWrite };
  let cost = unpriced > 0 ? null : usage.cost;
  for (const { ended } of children.values()) {
    if (!ended?.usage) continue;
    sum.input += ended.usage.input;
    sum.output += ended.usage.output;
    sum.cacheRead += ended.usage.cacheRead ?? 0;
    sum.cacheWrite += ended.usage.cacheWrite ?? 0;
    cost = cost === null || ended.cost == null ? null : cost + ended.cost;
  }
  return { usage: sum, cost };
}

/** A report is a tool call, so it has exactly one result. */
function reportResult(run: RunJournal): EventBody[] {
  return [...run.state.calls.values()]
    .filter((call) => call.name === reportTool(run) && !call.result)
    .map((call) => toolResult(call.id, "Received."));
}
