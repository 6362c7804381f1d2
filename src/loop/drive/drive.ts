// Drives one run until it must wait or has ended.
//  L1  Nothing happens to a run except by an appended event.
//  L2  `decide` is pure: same journal, same action.
//  L3  An intent is appended before its effect begins, and only if nothing came in between.
//  L4  A driver with a stale epoch starts nothing new: it appends the outcomes of its open calls and stops.
//  L5  One bad run cannot stop the others: `drive` never rejects (P9).

import type { Clock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { isNewer } from "../../journal/upcast.ts";
import type { Lease, LostWorkers } from "../../stores/store.ts";
import { openWorkspace } from "../children/worktree.ts";
import type { ActiveDrive, LoopParts, SkipReason } from "../parts.ts";
import { decide } from "./decide.ts";
import type { DecisionFacts, RunView } from "./decide-turn.ts";
import { performAction } from "./perform.ts";
import { recoverRun } from "./recover.ts";
import { RunJournal } from "./run-journal.ts";

const SUSPECT_AFTER = 2;
const DEFAULT_WINDOW = 128_000;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** `lost`: the workers that an engine lost together with the run (E2). */
export async function drive(
  runId: RunId,
  parts: LoopParts,
  signal: AbortSignal,
  { lost }: { lost?: LostWorkers | undefined } = {},
): Promise<void> {
  if (parts.skippedRuns.has(runId)) return;
  const lease = await takeLease(runId, parts, lost);
  if (!lease) return;
  let run: RunJournal | undefined;
  try {
    run = await RunJournal.load(lease, parts, signal);
    await driveRun(run, parts, signal);
  } catch (error) {
    await releaseAfterFailure(lease, run, parts, signal, error);
  }
}

async function takeLease(
  runId: RunId,
  parts: LoopParts,
  lost: LostWorkers | undefined,
): Promise<Lease | undefined> {
  try {
    return await parts.store.leases.acquire(runId, parts.worker, lost);
  } catch (error) {
    parts.onProblem({ runId, message: `Run ${runId} cannot be taken by this process.`, error });
    return undefined;
  }
}

async function driveRun(run: RunJournal, parts: LoopParts, signal: AbortSignal): Promise<void> {
  const effects = new AbortController();
  const stopped = AbortSignal.any([effects.signal, signal]);
  const stopListening = register(run, parts, signal, effects);
  try {
    await recoverRun(run, parts);
    await openWorkspace(run, parts);
    while (!run.isOver && !signal.aborted && !mustStop(effects.signal)) {
      const leave = await parts.gate.enter(isSuspect(run) ? "alone" : "shared", stopped);
      try {
        if (!signal.aborted) await step(run, parts, effects.signal);
      } finally {
        leave();
      }
    }
    await run.release();
    // A program without work is ended while its run rests.
    if (run.definition.runner && !keepsProgram(run)) await parts.runners.end(run.runId);
  } finally {
    stopListening();
  }
}

/** Whether this driver was interrupted for another reason than a cancel. Then another driver takes the run. */
const mustStop = ({ aborted, reason }: AbortSignal): boolean => aborted && reason !== "cancel";

async function step(run: RunJournal, parts: LoopParts, effects: AbortSignal): Promise<void> {
  const action = decide(...(await decisionInput(await run.view(), parts)));
  await performAction(action, run, parts, effects);
}

/** The arguments of a decision. The agent's module is loaded each time, because its file may have changed. */
export async function decisionInput(
  view: RunView,
  parts: Pick<LoopParts, "loadSteps" | "models"> & { clock: Pick<Clock, "now"> },
): Promise<[RunView, DecisionFacts]> {
  const { state, definition } = view;
  const steps = definition.steps && !state.cancel ? await parts.loadSteps(definition.steps) : undefined;
  const model = state.latest?.model ?? definition.models[0]!;
  const contextWindow = parts.models.contextWindow(model) ?? DEFAULT_WINDOW;
  return [
    { ...view, steps },
    { now: parts.clock.now(), contextWindow },
  ];
}

/** E5: whether the run was lost twice in a row and has had no outcome since. */
const isSuspect = (run: RunJournal): boolean => run.lease.acquisitions > SUSPECT_AFTER && !run.hasProgressed;

/** Registers the drive, so that a cancel can interrupt it. At shutdown, effects get some time to finish. */
function register(
  run: RunJournal,
  parts: LoopParts,
  signal: AbortSignal,
  effects: AbortController,
): () => void {
  const interrupt: ActiveDrive["interrupt"] = (reason) => effects.abort(reason);
  let drain: NodeJS.Timeout | undefined;
  const onStop = (): void => {
    drain = setTimeout(() => interrupt("shutdown"), parts.drainMs);
  };
  signal.addEventListener("abort", onStop, { once: true });
  parts.drives.set(run.runId, {
    epoch: run.lease.epoch,
    interrupt,
    lastActivityAt: () => run.lastActivityAt,
  });
  return () => {
    clearTimeout(drain);
    signal.removeEventListener("abort", onStop);
    parts.drives.delete(run.runId);
  };
}

/** Handles a failure that cannot be recorded, such as a full disk or a bug: the run is released and tried again. */
async function releaseAfterFailure(
  lease: Lease,
  run: RunJournal | undefined,
  parts: LoopParts,
  signal: AbortSignal,
  error: unknown,
): Promise<void> {
  const runId = lease.row.id;
  const isUnreadable = !run && isCorrupt(error);
  const skip = skipReason(error);
  if (skip) skipRun(skip, runId, parts);
  parts.onProblem({
    runId,
    message: isUnreadable ? `Run ${runId} is set aside.` : problemMessage(runId, skip),
    error,
  });
  if (skip !== "newer version") await run?.recordError(error, skip && `${skip}/${parts.host}`);
  // A run that is left to other processes is due for them immediately.
  const wakeAt = skip ? 0 : parts.clock.now() + RETRY_MS * 2 ** Math.min(lease.acquisitions, 5);
  for (let wait = RETRY_MS; !signal.aborted; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
    try {
      if (isUnreadable)
        await parts.store.leases.quarantine({ runId, reason: error.message, seq: seqOf(error) });
      else await parts.store.leases.release(runId, lease, { wakeAt });
      return;
    } catch (failure) {
      // Storage failures pass, and a lease that is never released would strand the run.
      if (!(failure instanceof CadreError) || !failure.code.startsWith("STORAGE_")) return;
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
    }
  }
}

function skipReason(error: unknown): SkipReason | undefined {
  if (isNewer(error)) return "newer version";
  return error instanceof CadreError && error.code === "FOLDER_MISSING" ? "other machine" : undefined;
}

/** Leaves a run to other processes: for good if its journal is of a newer version, for a while if its folder is missing. */
function skipRun(why: SkipReason, runId: RunId, { skippedRuns: all }: Pick<LoopParts, "skippedRuns">): void {
  all.set(runId, why);
  if (why === "other machine") setTimeout(() => all.delete(runId), MAX_RETRY_MS).unref();
}

const problemMessage = (runId: RunId, skip: SkipReason | undefined): string =>
  skip
    ? `Run ${runId} is left to ${skip === "newer version" ? "a newer version of Cadre" : "another machine"}; the others go on here.`
    : `Run ${runId} failed in this process and will be tried again.`;

const isCorrupt = (error: unknown): error is CadreError =>
  error instanceof CadreError && error.code === "JOURNAL_CORRUPT";

const seqOf = (error: CadreError): number | undefined => error.details?.["seq"] as number | undefined;

/** Whether the program is in the middle of its work, or may continue when a person raises the budget. */
const keepsProgram = ({ state }: RunJournal): boolean =>
  state.openModelCall !== undefined || state.waitingOn?.kind === "budget";

/** Drives cancelled runs to their ends without an engine. Runs that cannot be taken or read stay as they are. */
export async function endCancelledRuns(
  runIds: readonly RunId[],
  parts: LoopParts,
  signal: AbortSignal,
): Promise<void> {
  let left = await unendedRuns(runIds, parts);
  for (let before = Number.POSITIVE_INFINITY; left.length < before && !signal.aborted; ) {
    before = left.length;
    for (const runId of left) await drive(runId, parts, signal);
    left = await unendedRuns(left, parts);
  }
}

/** The cancelled runs that have not ended, the deepest first, because a run ends after the runs below it (D2). */
async function unendedRuns(runIds: readonly RunId[], { store }: Pick<LoopParts, "store">): Promise<RunId[]> {
  const rows = await Promise.all(runIds.map((runId) => store.runs.get(runId)));
  return rows
    .flatMap((row) => (row?.cancelRequested && row.endedAt === undefined ? [row] : []))
    .sort((left, right) => right.depth - left.depth)
    .map(({ id }) => id);
}
