// Retries an ended run with a new run that continues the old run.
// Nothing that was done or paid for is lost, and the old journal is not changed.

import { CadreError, runNotFound } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { type Definition, untrustedFiles } from "../../journal/definition.ts";
import type { JournalEvent, Payload } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { hostsField, hostsOfPerson } from "../../projections/folds/taint.ts";
import { continuedRunMissing, loadDefinition } from "../drive/run-journal.ts";
import { type AdmitParts, idempotencyOf, requirePrices } from "./admit.ts";
import { placeRun } from "./own-worktree.ts";

type Parts = Pick<AdmitParts, "store" | "clock" | "ids" | "findAgent" | "wake" | "checkPrices" | "worktrees">;

/** `budgetRunId` is the run whose budget pays for the new run. */
interface RetryOptions {
  runId?: RunId;
  budgetRunId?: RunId;
  idempotencyKey?: string | undefined;
  /** The user who asked for the retry. */
  by?: string | undefined;
}

/** Starts the new run. Its counts start at zero. It has the old limits, the agent's current definition, and the model that answered last. */
export async function retryRun(
  runId: RunId,
  parts: Parts,
  options: RetryOptions = {},
): Promise<{ runId: RunId }> {
  const row = await parts.store.runs.get(runId);
  const head = await parts.store.journal.head(runId);
  if (!row || !head) throw runNotFound(runId);
  const problem = retryProblem(row);
  if (problem !== undefined) throw new CadreError("CONFLICT", problem);
  const [first] = await parts.store.journal.read(runId, 0, 1);
  if (first?.type !== "RUN_STARTED") throw continuedRunMissing(runId);
  const definition = await agentOf(row, first.payload, parts);
  // The old parent no longer waits, so the new run is a root run and ends with a report.
  const { sessionId: _, parentRunId: __, parentKey: ___, team: ____, by: _____, ...start } = first.payload;
  const { runId: next = parts.ids.runId(parts.clock.now()), budgetRunId, idempotencyKey, by } = options;
  const payload: Payload<"RUN_STARTED"> = {
    ...start,
    definition: await parts.store.blobs.put(JSON.stringify(definition)),
    ...taintOfRetry(start, definition),
    ...hostsField(hostsOfPerson(first.payload)),
    depth: 0,
    trigger: "retry",
    rootRunId: next,
    ...omitUndefined({ budgetRunId, by: by === start.userId ? undefined : by }),
    continues: { runId, seq: head.seq, hash: head.hash },
    // A retry of a fork can use the recorded results that the fork could use. The fork's message is not repeated.
    ...(start.fork ? { fork: { at: head.seq } } : {}),
  };
  const idempotency = idempotencyOf(idempotencyKey, { retry: runId });
  const placed = await placeRun(payload, definition, next, parts);
  const checked = await requirePrices(placed, definition, parts);
  const started = await parts.store.runs.start(next, checked, idempotency);
  await parts.wake(started.runId);
  return { runId: started.runId };
}

/** A tainted run stays tainted after a retry. Instructions of a folder that is not trusted now also taint the run. */
function taintOfRetry(
  { untrusted = [] }: Pick<Payload<"RUN_STARTED">, "untrusted">,
  definition: Definition,
): Pick<Payload<"RUN_STARTED">, "untrusted"> {
  const sources = [...new Set([...untrusted, ...untrustedFiles(definition)])];
  return sources.length === 0 ? {} : { untrusted: sources };
}

function retryProblem({ id, endedAt, stopReason }: RunRow): string | undefined {
  if (endedAt === undefined)
    return `Run ${id} has not ended: there is nothing to try again. Nothing was changed; \`cadre show ${id}\` says what it waits for.`;
  return stopReason === "moved"
    ? `Run ${id} was moved to another store and goes on there. Try it again there.`
    : undefined;
}

/**
 * The agent's current definition, or the pinned definition if the agent's file is gone.
 * If the file exists but is invalid, the error is reported before anything starts.
 */
async function agentOf(
  { id, agent, definition }: RunRow,
  start: Payload<"RUN_STARTED">,
  parts: Parts,
): Promise<Definition> {
  const pinned = await loadDefinition(parts.store, definition);
  const model = answeringModel(await parts.store.journal.read(id)) ?? pinned.models[0]!;
  const withModel = (found: Definition): Definition => {
    if (found.runner) return found;
    // A person who chose the model does not want a substitute.
    const substitutes = start.model === undefined ? found.models.filter((other) => other !== model) : [];
    return { ...found, models: [model, ...substitutes] };
  };
  // H5: a draft is more restricted than the agent in its file, so a retry keeps the draft's definition.
  if (pinned.readOnly) return withModel(pinned);
  try {
    return await parts.findAgent(agent, withModel);
  } catch (error) {
    if (error instanceof CadreError && error.code === "AGENT_NOT_FOUND") return withModel(pinned);
    throw error;
  }
}

/** The model of the run's latest answer. Only this model can read its own reasoning. */
function answeringModel(events: readonly JournalEvent[]): string | undefined {
  let asked: string | undefined;
  let answered: string | undefined;
  for (const event of events) {
    if (event.type === "MODEL_CALL_STARTED") asked = event.payload.model;
    if (event.type === "AGENT_THOUGHT") answered = asked;
  }
  return answered;
}
