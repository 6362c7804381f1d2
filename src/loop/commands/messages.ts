// Messages that people send to a run or to a session.

import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { Attachment } from "../../journal/attachment.ts";
import type { Environment, EventOf, Payload } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { hasTakenOver, type RunRow } from "../../projections/folds/run-row.ts";
import type { Store } from "../../stores/store.ts";
import { type SentFile, storeSentFiles } from "../attachments/store-files.ts";
import {
  type AdmitParts,
  expandTask,
  idempotencyOf,
  type RunRequest,
  requirePrices,
  requireStartable,
  runStartPayload,
} from "./admit.ts";
import { placeRun } from "./own-worktree.ts";
import { type CommandParts, requireNotEnded, signalRun } from "./person-commands.ts";

/**
 * Sends a message to a run.
 * If the run has routed its work or handed it off, the message goes to the run that does the work now (J11).
 * A message with an idempotency key is delivered once, however often it is sent (F50).
 */
export async function sendMessage(
  runId: RunId,
  written: string,
  from: string,
  parts: CommandParts,
  idempotencyKey?: string,
  sent?: readonly SentFile[],
): Promise<void> {
  const expanded = await parts.expandCommand(written);
  const files = await storeSentFiles(sent, parts);
  const id = idempotencyKey === undefined ? parts.ids.nonce() : messageIdFor(idempotencyKey);
  const chain = await workChain(runId, parts.store);
  for (const holder of idempotencyKey === undefined ? [] : chain) {
    const said = await parts.store.journal.read(holder.id);
    const before = said.find((event) => event.type === "CONTEXT_ADDED" && event.payload.id === id);
    if (before) return requireSameMessage(before as EventOf<"CONTEXT_ADDED">, { ...expanded, ...files });
  }
  const receiver = chain.findLast(({ endedAt }) => endedAt === undefined)?.id ?? runId;
  await signalRun(receiver, parts, (state) => {
    requireNotEnded(state);
    return {
      events: [{ type: "CONTEXT_ADDED", payload: { id, source: "person", from, ...expanded, ...files } }],
      done: undefined,
    };
  });
}

/** Id of a message that has an idempotency key. */
export const messageIdFor = (idempotencyKey: string): string => `key/${idempotencyKey}`;

function requireSameMessage(
  { payload }: EventOf<"CONTEXT_ADDED">,
  { text, typed, attachments = [] }: { text: string; typed?: string; attachments?: readonly Attachment[] },
): undefined {
  const blobs = (files: readonly Attachment[] = []): string => files.map(({ blob }) => blob).join();
  // The mark around an untrusted command differs each time, so the words that the person typed are compared.
  const isSameText = typed === undefined ? payload.text === text : payload.typed === typed;
  if (isSameText && blobs(payload.attachments) === blobs(attachments)) return;
  throw new CadreError(
    "UNPROCESSABLE",
    "This idempotency key was used for another message. Nothing was changed.",
  );
}

/** The run, followed by each run that took its work over. */
export async function workChain(
  runId: RunId,
  store: { runs: Pick<Store["runs"], "get" | "list"> },
): Promise<RunRow[]> {
  const row = await store.runs.get(runId);
  if (!row) return [];
  const { runs } = await store.runs.list({ parent: runId, limit: MOST_CHILDREN });
  const next = runs.find(hasTakenOver);
  return next ? [row, ...(await workChain(next.id, store))] : [row];
}

const MOST_CHILDREN = 200;

export interface PersonMessage
  extends Pick<
    RunRequest,
    "agent" | "mode" | "attended" | "userId" | "permissions" | "attachments" | "origin"
  > {
  sessionId: string;
  text: string;
  from: string;
}

/**
 * Delivers a message to a main agent in a session, which is a chain of runs.
 * The message joins the session's active run. If no run is active, it starts the next run, which begins with the previous transcript (D5).
 * One transaction of the store decides whether the message joins a run or starts one.
 */
export async function messageSession(
  message: PersonMessage,
  parts: AdmitParts,
  idempotencyKey?: string,
): Promise<{ runId: RunId; joined: boolean }> {
  const { sessionId } = message;
  const expanded = await expandTask(message.text, message.origin, parts);
  const { text, ...origin } = expanded;
  const definition = requireStartable(await parts.findAgent(message.agent));
  const files = await storeSentFiles(message.attachments, parts);
  const hash = await parts.store.blobs.put(JSON.stringify(definition));
  const runId = parts.ids.runId(parts.clock.now());
  const id = idempotencyKey === undefined ? parts.ids.nonce() : messageIdFor(idempotencyKey);
  const context: Payload<"CONTEXT_ADDED"> = { id, ...senderOf(message), ...expanded, ...files };
  const { agent: _, text: __, from: ___, ...request } = message;
  const asked = { agent: definition.name, task: text, ...request };
  const environment = await sessionEnvironment(sessionId, parts);
  const payload = {
    ...runStartPayload(asked, { definition, hash, runId, environment, origin }, parts),
    ...files,
    ...(idempotencyKey === undefined ? {} : { messageId: id }),
  };
  const placed = await placeRun(payload, definition, runId, parts);
  const start = await requirePrices(placed, definition, parts);
  const idempotency = idempotencyOf(idempotencyKey, { say: { ...message, ...files } });
  const delivered = await parts.store.runs.say({
    ...{ sessionId, agent: definition.name, context, runId, start },
    ...omitUndefined({ idempotency }),
  });
  await parts.wake(delivered.runId);
  return delivered;
}

/** Words that came in through a hook are not those of a person: they name no hosts, and they taint the run (TR8). */
const senderOf = ({
  from,
  origin,
}: PersonMessage): Pick<Payload<"CONTEXT_ADDED">, "source" | "from" | "untrusted"> =>
  origin?.untrusted === undefined
    ? { source: "person", from }
    : { source: "system", from, untrusted: [origin.untrusted] };

/** The environment of the session's latest run, so that the new prompt extends the old one (J12). On a new day it is read again. */
async function sessionEnvironment(
  session: string,
  { store, environment, workspace }: Pick<AdmitParts, "store" | "environment" | "workspace">,
): Promise<Environment> {
  const now = await environment(workspace);
  const [latest] = (await store.runs.list({ session, limit: 1 })).runs;
  const [first] = latest ? await store.journal.read(latest.id, 0, 1) : [];
  const before = first?.type === "RUN_STARTED" ? first.payload.environment : undefined;
  return before?.day === now.day ? before : now;
}
