// Drives one run until it must wait or has ended.
//  L1  Nothing happens to a run except by an appended event.
//  L2  `decide` is pure: same journal, same action.
//  L3  An intent is appended before its effect begins, and only if nothing came in between.
//  L4  A driver whose epoch is stale begins nothing: it hands in the outcomes of its open calls and stops.
//  L5  One bad run cannot stop the others: `drive` never rejects (P9).

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { isNewer } from "../../journal/upcast.ts";
import type { Lease, LostWorkers } from "../../stores/store.ts";
import { openWorkspace } from "../children/worktree.ts";
import type { ActiveDrive, LoopParts, SkipReason } from "../parts.ts";
import { decide } from "./decide.ts";
import type { RunView } from "./decide-turn.ts";
import { performAction } from "./perform.ts";
import { recoverRun } from "./recover.ts";
import { RunJournal } from "./run-journal.ts";

const SUSPECT_AFTER = 2;
const DEFAULT_WINDOW = 128_000;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** `lost`: whom an engine has lost with it (E2). */
export async function drive(
  runId: RunId,
  parts: LoopParts,
  signal: AbortSignal,
  { lost }: { lost?: LostWorkers | undefined } = {},
): Promise<void> {
  if (parts.skippedRuns.has(runId)) return;
  const lease = await take(runId, parts, lost);
  if (!lease) return;
  let run: RunJournal | undefined;
  try {
    run = await RunJournal.load(lease, parts, signal);
    await goOn(run, parts, signal);
  } catch (error) {
    await giveBack(lease, run, parts, signal, error);
  }
}

async function take(
  runId: RunId,
  parts: LoopParts,
  lost: LostWorkers | undefined,
): Promise<Lease | undefined> {
  try {
    return await parts.store.leases.acquire(runId, parts.worker, lost);
  } catch (error) {
    parts.onProblem({ runId, message: `Run ${runId} cannot be taken up.`, error });
    return undefined;
  }
}

async function goOn(run: RunJournal, parts: LoopParts, signal: AbortSignal): Promise<void> {
  const effects = new AbortController();
  const left = AbortSignal.any([effects.signal, signal]);
  const stopListening = register(run, parts, signal, effects);
  try {
    await recoverRun(run, parts);
    await openWorkspace(run, parts);
    while (!run.isOver && !signal.aborted && !mustLeave(effects.signal)) {
      const leave = await parts.gate.enter(isSuspect(run) ? "alone" : "shared", left);
      try {
        if (!signal.aborted) await step(run, parts, effects.signal);
      } finally {
        leave();
      }
    }
    await run.release();
    // Any other program has nothing to do while its run rests.
    if (run.definition.runner && !keepsProgram(run)) await parts.runners.end(run.runId);
  } finally {
    stopListening();
  }
}

/** What a driver begins after it was interrupted would not be begun: another takes the run up where it stands. */
const mustLeave = ({ aborted, reason }: AbortSignal): boolean => aborted && reason !== "cancel";

async function step(run: RunJournal, parts: LoopParts, effects: AbortSignal): Promise<void> {
  const view = await run.view();
  const steps = await stepsOf(run, parts);
  await performAction(decide({ ...view, steps }, facts(run, parts)), run, parts, effects);
}

/** Looked at for every decision: a file that changed meanwhile must not go on as if it had not. */
async function stepsOf(
  { definition, state }: RunJournal,
  parts: Pick<LoopParts, "loadSteps">,
): Promise<RunView["steps"]> {
  return definition.steps && !state.cancel ? parts.loadSteps(definition.steps) : undefined;
}

/** E5: until its next outcome, a run that was lost twice in a row. */
const isSuspect = (run: RunJournal): boolean => run.lease.acquisitions > SUSPECT_AFTER && !run.hasProgressed;

function facts(run: RunJournal, parts: Pick<LoopParts, "clock" | "models">) {
  const model = run.state.latest?.model ?? run.definition.models[0]!;
  return { now: parts.clock.now(), contextWindow: parts.models.contextWindow(model) ?? DEFAULT_WINDOW };
}

/** Makes the drive known, so that a cancel reaches what it is doing; at shutdown effects get a while to finish. */
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

/** Something that no journal can hold: a full disk, a bug. The run goes back and is tried again; the others go on. */
async function giveBack(
  lease: Lease,
  run: RunJournal | undefined,
  parts: LoopParts,
  signal: AbortSignal,
  error: unknown,
): Promise<void> {
  const runId = lease.row.id;
  const aside = !run && isCorrupt(error);
  const left = leftTo(error);
  if (left) leaveTo(left, runId, parts);
  parts.onProblem({ runId, message: aside ? `Run ${runId} is set aside.` : whatNow(runId, left), error });
  if (left !== "newer version") await run?.recordError(error, left && `${left}/${parts.host}`);
  // One that is left to others is theirs at once.
  const wakeAt = left ? 0 : parts.clock.now() + RETRY_MS * 2 ** Math.min(lease.acquisitions, 5);
  for (let wait = RETRY_MS; !signal.aborted; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
    try {
      if (aside) await parts.store.leases.quarantine({ runId, reason: error.message, seq: seqOf(error) });
      else await parts.store.leases.release(runId, lease, { wakeAt });
      return;
    } catch (failure) {
      // Whatever is wrong with the storage passes; a lease that nobody gives back would strand the run.
      if (!(failure instanceof CadreError) || !failure.code.startsWith("STORAGE_")) return;
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
    }
  }
}

function leftTo(error: unknown): SkipReason | undefined {
  if (isNewer(error)) return "newer version";
  return error instanceof CadreError && error.code === "FOLDER_MISSING" ? "other machine" : undefined;
}

/** A folder may come to be there, as one that is mounted; what this version does not understand it never will. */
function leaveTo(left: SkipReason, runId: RunId, { skippedRuns: all }: Pick<LoopParts, "skippedRuns">): void {
  all.set(runId, left);
  if (left === "other machine") setTimeout(() => all.delete(runId), MAX_RETRY_MS).unref();
}

const whatNow = (runId: RunId, left: SkipReason | undefined): string =>
  left
    ? `Run ${runId} is left to ${left === "newer version" ? "a newer version of Cadre" : "another machine"}; the others go on here.`
    : `Run ${runId} could not go on and is tried again.`;

const isCorrupt = (error: unknown): error is CadreError =>
  error instanceof CadreError && error.code === "JOURNAL_CORRUPT";

const seqOf = (error: CadreError): number | undefined => error.details?.["seq"] as number | undefined;

/** It is in the middle of its work, or may go on with it when a person gives it more. */
const keepsProgram = ({ state }: RunJournal): boolean =>
  state.openModelCall !== undefined || state.waitingOn?.kind === "budget";
