// Drives one run until it must wait or has ended: takes its lease, closes calls that a crash left open, then decides and performs.
//  L1  A run changes only through appended events.
//  L2  `decide` is pure: same journal, same action.
//  L3  An intent is appended before its effect begins, and only if no other event was appended since the decision.
//  L4  A driver with a stale epoch starts nothing new: it appends the outcomes of its open calls and stops.
//  L5  One bad run cannot stop the others: `drive` never rejects (P9).
//  P3  A model call that a crash interrupted might have been paid for. The driver records its estimated cost and calls the model again.
//  P4  After a crash, `decide` starts a `read` or `idempotent` call again; for an `unsafe` call it waits for a person.

import type { Clock } from "../../clock.ts";
import { assertNever, CadreError, isTemporary } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { EventBody } from "../../journal/events.ts";
import { isNewer } from "../../journal/upcast.ts";
import type { Action, Ending } from "../../patterns/action.ts";
import type { Lease, LostWorkers } from "../../stores/store.ts";
import { readsSavedOutputs } from "../../tools/answers.ts";
import { builtinTool } from "../builtin-tools/index.ts";
import { proposeCalls, proposeStepCalls } from "../calls/propose.ts";
import { recoverCalls, runTools } from "../calls/run-tools.ts";
import { startChildren } from "../children/start-children.ts";
import { startPatternRuns } from "../children/start-pattern-runs.ts";
import { mergeChild, mergeOwnWork } from "../children/worktree.ts";
import { cutOffHooks, runDueHooks, runEndHooks } from "../hooks/run-hooks.ts";
import { attemptOf, callModel } from "../model/call-model.ts";
import type { ActiveDrive, LoopParts, SkipReason } from "../parts.ts";
import { promptRunner, recoverPrompt } from "../programs/prompt-runner.ts";
import { allowRunnerCall } from "../programs/runner-calls.ts";
import { endedWithRun, tellAboutCommands } from "./background.ts";
import { decide } from "./decide.ts";
import { type DecisionFacts, nextModel, type RunView } from "./decide-turn.ts";
import { finishRun } from "./finish.ts";
import { RunJournal } from "./run-journal.ts";
import { takeSteps } from "./suspects.ts";

const RETRY_MS = 1_000;

const MAX_RETRY_MS = 30_000;

/** `lost` names the workers that, according to the engine, held the run and died (E2). */
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
    const mayContinue = (): boolean => !run.isOver && !signal.aborted && !mustStop(effects.signal);
    let isPrepared = false;
    const takeStep = async (): Promise<void> => {
      if (isPrepared) return step(run, parts, effects.signal);
      isPrepared = true;
      await recoverRun(run, parts);
      await openWorkspace(run, parts);
    };
    while (mayContinue()) await takeSteps(run, parts, { takeStep, mayContinue, stopped });
    await run.release();
    // The run rests now. Its program is stopped, unless the program still has work to do.
    if (run.definition.runner && !keepsProgram(run)) await parts.runners.end(run.runId);
  } finally {
    stopListening();
  }
}

/** Registers the drive, so that a cancel can interrupt it. At shutdown, effects have some time to finish. */
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

type RecoverParts = Parameters<typeof recoverCalls>[1] & Pick<LoopParts, "clock" | "runners">;

/** Closes the hooks, the model call or the prompt that a crash left open. */
async function recoverRun(run: RunJournal, parts: RecoverParts): Promise<void> {
  while (waitsForOldLease(run, parts)) {
    await run.rest([], run.lease.previousUntil);
    if (run.isOver) return;
    // A signal arrived. Fold the signal, then check again whether the old lease has ended.
    await run.view();
  }
  for (const [id, hook] of run.state.hooks) if (!hook.hasEnded) run.record(cutOffHooks(id, hook));
  if (!run.state.cancel) await recoverCalls(run, parts);
  const open = run.state.openModelCall;
  if (!open || run.isOver) return;
  if (run.definition.runner) return recoverPrompt(run, parts);
  const { estimate } = open;
  const message = "The process ended before the answer was recorded; this attempt may have been paid for.";
  const spent = estimate && { usage: { input: estimate.tokens, output: 0 }, cost: estimate.cost };
  const payload = { ...attemptOf(open), cause: "interrupted" as const, message, ...spent };
  run.record({ type: "MODEL_CALL_FAILED", payload });
}

/** E2: true if the previous worker might still be performing a call. Until that worker's lease ends, the call is neither repeated nor decided. */
function waitsForOldLease(run: RunJournal, parts: Pick<LoopParts, "clock" | "runners">): boolean {
  const until = run.lease.previousUntil;
  if (until === undefined || until <= parts.clock.now()) return false;
  if (run.definition.runner && run.state.openModelCall && !parts.runners.find(run.runId)) return true;
  return [...run.state.calls.values()].some(
    (call) => call.started && !call.result && call.proposal?.effect !== "read",
  );
}

/**
 * Creates the run's worktree if it is missing.
 * Any other folder must already exist. If the folder were missing, approved calls would fail and the agent would continue without their effects.
 */
async function openWorkspace(
  { state }: RunJournal,
  parts: Pick<LoopParts, "worktrees" | "hasFolder" | "host">,
): Promise<void> {
  const { worktree, workspace } = state.start!;
  if (state.cancel) return;
  if (worktree) return parts.worktrees.open(worktree);
  if (await parts.hasFolder(workspace)) return;
  throw new CadreError(
    "FOLDER_MISSING",
    `The folder ${workspace}, in which the run works, is not there on ${parts.host}. Nothing was done. The run continues as soon as the folder is there, or on a machine that has it.`,
  );
}

/** True if this driver must stop. If the reason is a cancel, this driver continues, because it ends the run itself. */
const mustStop = ({ aborted, reason }: AbortSignal): boolean => aborted && reason !== "cancel";

async function step(run: RunJournal, parts: LoopParts, effects: AbortSignal): Promise<void> {
  if (run.state.background.size > 0) await tellAboutCommands(run, parts);
  const view = await run.view();
  if (!parts.hooks.isEmpty && (await runDueHooks(run, parts, effects))) return;
  const action = decide(...(await decisionInput(view, parts)));
  await performAction(action, run, parts, effects);
}

/** The arguments of a decision. The agent's module is loaded every time, because its file might have changed. */
export async function decisionInput(
  view: RunView,
  parts: Pick<LoopParts, "loadSteps" | "models" | "offers" | "tools"> & { clock: Pick<Clock, "now"> },
): Promise<[RunView, DecisionFacts]> {
  const { state, definition } = view;
  const steps = definition.steps && !state.cancel ? await parts.loadSteps(definition.steps) : undefined;
  const contextWindow = parts.models.contextWindow(nextModel(view));
  return [
    { ...view, steps },
    { now: parts.clock.now(), contextWindow, readsResults: readsSavedOutputs(definition, parts) },
  ];
}

/** Performs the action that `decide` chose. */
async function performAction(
  action: Action,
  run: RunJournal,
  parts: LoopParts,
  effects: AbortSignal,
): Promise<void> {
  switch (action.type) {
    case "stop":
      return run.release();
    case "rest":
      return run.rest([], action.wakeAt);
    case "suspend":
      return run.suspend(action.waitingOn, action.wakeAt);
    case "resume":
      return write([resumedEvent(action.by, run)], run);
    case "record":
      return write(action.events, run);
    case "call-model":
      return run.definition.runner
        ? promptRunner(action, run, parts, effects)
        : callModel(action, run, parts, effects);
    case "propose":
      return proposeCalls(action.calls, run, parts, effects);
    case "propose-made":
      return proposeStepCalls(action.calls, run, parts, effects);
    case "run-tools":
      return run.definition.runner
        ? allowRunnerCall(action.calls, run, parts)
        : runTools(action.calls, run, parts, effects);
    case "start-children":
      return startChildren(action.calls, run, parts);
    case "start-runs":
      return startPatternRuns(action.runs, run, parts);
    case "give-up-on":
      return giveUpOn(action, run, parts);
    case "run-builtin": {
      const call = run.state.calls.get(action.call)!;
      return builtinTool(call.name)!.perform!(call, run, parts);
    }
    case "merge-child":
      return mergeChild(action.runId, run, parts);
    case "merge-own":
      return mergeOwnWork(action.ending, run, parts);
    case "cancel-children":
      return cancelChildren(action, run, parts);
    case "end":
      if (!parts.hooks.isEmpty && (await runEndHooks(action.ending, run, parts, effects))) return;
      return endRun(await endProgram(action.ending, run, parts), run, parts);
    default:
      return assertNever(action);
  }
}

/** The run's background commands end with the run. If a crash prevents that, the next check on runs ends them. */
async function endRun(
  ending: Ending,
  run: RunJournal,
  { commands, worktrees }: Pick<LoopParts, "commands" | "worktrees">,
): Promise<void> {
  const left = run.state.background.size > 0 ? endedWithRun(run.state) : [];
  const warnings = left.length === 0 ? {} : { warnings: [...(ending.warnings ?? []), ...left] };
  await finishRun({ ...ending, ...warnings }, run);
  if (!run.state.end) return;
  await commands.stopRun(run.runId);
  await closeOwnWorktree(run, worktrees);
}

/** Removes the worktree of a root that has ended. If this fails or a crash prevents it, the next check on runs does it. */
async function closeOwnWorktree(
  { runId, state: { ownMerge, start } }: RunJournal,
  worktrees: LoopParts["worktrees"],
): Promise<void> {
  if (!ownMerge) return;
  const work = { message: `Work of run ${runId}`, files: [], keep: true, isInner: false };
  await worktrees.close(start!.worktree!, work).catch(() => undefined);
}

/** Stops the run's program, because nothing of a run may continue after its end. */
async function endProgram(
  ending: Ending,
  run: RunJournal,
  { runners }: Pick<LoopParts, "runners">,
): Promise<Ending> {
  if (!run.definition.runner) return ending;
  const left = await runners.end(run.runId);
  return left.length === 0 ? ending : { ...ending, warnings: [...(ending.warnings ?? []), ...left] };
}

/** D2: cancels the children once the run's end is certain. Every drive repeats this until all children have ended. */
async function cancelChildren(
  { runIds, waitingOn }: Extract<Action, { type: "cancel-children" }>,
  run: RunJournal,
  parts: Pick<LoopParts, "store">,
): Promise<void> {
  const isKnown =
    run.state.isClosing && JSON.stringify(run.state.waitingOn?.items) === JSON.stringify(waitingOn.items);
  if (await run.begin(isKnown ? [] : [run.suspendedEvent(waitingOn)])) return;
  await cancelAll(runIds, `${run.definition.name} has ended.`, run, parts);
  await run.rest([], undefined);
}

/** F27: first records that the children's time is over. If a crash follows, the children are cancelled at the run's end (D2). */
async function giveUpOn(
  { runIds, events, reason }: Extract<Action, { type: "give-up-on" }>,
  run: RunJournal,
  parts: Pick<LoopParts, "store">,
): Promise<void> {
  if (await run.begin(events)) return;
  await cancelAll(runIds, reason, run, parts);
}

async function cancelAll(
  runIds: readonly string[],
  reason: string,
  { runId: via, definition: { name: by } }: RunJournal,
  { store }: Pick<LoopParts, "store">,
): Promise<void> {
  for (const runId of runIds) await store.runs.cancel(runId, { by, reason, via });
}

function resumedEvent(by: string, run: RunJournal): EventBody {
  return { type: "RUN_RESUMED", payload: { by }, key: `resumed/${run.state.suspensions}` };
}

/** Appends the events unless another event was written first. For example, an expiry is not written after a person's decision. */
async function write(events: EventBody[], run: RunJournal): Promise<void> {
  await run.begin(events);
}

/** Releases a run after a failure that cannot be recorded, such as a full disk or a bug. The run is tried again later. */
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
  // If this process skips the run, other processes can take the run immediately.
  const wakeAt = skip ? 0 : parts.clock.now() + RETRY_MS * 2 ** Math.min(lease.acquisitions, 5);
  for (let wait = RETRY_MS; !signal.aborted; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
    try {
      if (isUnreadable)
        await parts.store.leases.quarantine({ runId, reason: error.message, seq: seqOf(error) });
      else {
        // A lack of files or memory is not the run's fault.
        if (isTemporary(error))
          await parts.store.leases.recordAcquisitions(runId, lease, lease.acquisitions - 1);
        await parts.store.leases.release(runId, lease, { wakeAt });
      }
      return;
    } catch (failure) {
      // The release is retried: storage failures pass, and a lease that is never released would strand the run.
      if (!(failure instanceof CadreError) || !failure.code.startsWith("STORAGE_")) return;
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
    }
  }
}

function skipReason(error: unknown): SkipReason | undefined {
  if (isNewer(error)) return "newer version";
  return error instanceof CadreError && error.code === "FOLDER_MISSING" ? "other machine" : undefined;
}

/** Leaves a run to other processes. This lasts for a while if the run's folder is missing here, and forever if only a newer version can read the run. */
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

/** True if the program is in the middle of its work, or could continue its work after a person raises the budget. */
const keepsProgram = ({ state }: RunJournal): boolean =>
  state.openModelCall !== undefined || state.waitingOn?.kind === "budget";

/** Drives cancelled runs to their ends without an engine. Runs that cannot be taken or read are skipped. */
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

/** The cancelled runs that have not ended, deepest first, because a run ends after its descendants (D2). */
async function unendedRuns(runIds: readonly RunId[], { store }: Pick<LoopParts, "store">): Promise<RunId[]> {
  const rows = await Promise.all(runIds.map((runId) => store.runs.get(runId)));
  return rows
    .flatMap((row) => (row?.cancelRequested && row.endedAt === undefined ? [row] : []))
    .sort((left, right) => right.depth - left.depth)
    .map(({ id }) => id);
}
