// The commands that people give to a run, as functions for programs that embed Cadre. `by` is the person's name in the journal.

import type { RunId } from "../ids.ts";
import * as branches from "../loop/commands/branches.ts";
import * as messages from "../loop/commands/messages.ts";
import * as commands from "../loop/commands/person-commands.ts";
import { assemblyOf, type Runtime } from "./embed.ts";

/** Approves, rejects, edits or answers an open item (see `Runtime.openItems`). */
export const decideApproval = (
  id: string,
  decision: commands.Decision,
  by: string,
  runtime: Runtime,
): Promise<{ alreadyDecided: boolean }> =>
  commands.decideApproval(id, decision, by, assemblyOf(runtime).people);

/** Records whether an interrupted call took effect. Used after a crash. */
export const decideOutcome = (
  runId: RunId,
  attemptId: string,
  verdict: commands.OutcomeVerdict,
  by: string,
  runtime: Runtime,
): Promise<{ alreadyDecided: boolean }> =>
  commands.decideOutcome(runId, attemptId, verdict, by, assemblyOf(runtime).people);

/** Cancels a run and its descendants. */
export const cancelRun = (
  runId: RunId,
  by: string,
  reason: string | undefined,
  runtime: Runtime,
): Promise<{ cancelled: RunId[] }> => commands.cancelRun(runId, by, reason, assemblyOf(runtime).people);

/** Pauses a run before its next step. */
export const pauseRun = (runId: RunId, by: string, runtime: Runtime): Promise<void> =>
  commands.pauseRun(runId, by, assemblyOf(runtime).people);

/** Resumes a paused or quarantined run. A run that waits for its provider tries again immediately. */
export const resumeRun = (runId: RunId, by: string, runtime: Runtime): Promise<void> =>
  commands.resumeRun(runId, by, assemblyOf(runtime).people);

/** Sends a message to a run. Repeating the call with the same idempotency key sends no second message. */
export const sendMessage = (
  runId: RunId,
  text: string,
  from: string,
  runtime: Runtime,
  idempotencyKey?: string,
): Promise<void> => messages.sendMessage(runId, text, from, assemblyOf(runtime).people, idempotencyKey);

/** Sets the budget of a run, or of its whole tree. */
export const setBudget = (
  runId: RunId,
  budget: branches.NewBudget,
  by: string,
  runtime: Runtime,
): Promise<void> => branches.setBudget(runId, budget, by, assemblyOf(runtime).people);

/** Freezes a run and its descendants before their next steps. */
export const freezeBranch = (runId: RunId, by: string, runtime: Runtime): Promise<{ runs: RunId[] }> =>
  branches.freezeBranch(runId, by, assemblyOf(runtime).people);

/** Lets the runs of a frozen branch continue. */
export const thawBranch = (runId: RunId, by: string, runtime: Runtime): Promise<{ runs: RunId[] }> =>
  branches.thawBranch(runId, by, assemblyOf(runtime).people);
