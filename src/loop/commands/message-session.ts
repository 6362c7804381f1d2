// A session is a chain of runs of one main agent. A message joins the session's active run, or starts the next one,
// whose
// transcript begins with the last (D5). The store decides which, in one transaction.

import type { RunId } from "../../ids.ts";
import type { Payload } from "../../journal/events.ts";
import { type AdmitParts, requireStartable, runStartPayload } from "./admit.ts";
import { messageIdFor } from "./message-run.ts";

export interface PersonMessage {
  sessionId: string;
  agent: string;
  text: string;
  from: string;
  mode?: "auto" | "chat";
  attended?: boolean;
  userId?: string;
}

/** Delivers a person's message to a main agent. */
export async function messageSession(
  message: PersonMessage,
  parts: AdmitParts,
  idempotencyKey?: string,
): Promise<{ runId: RunId; joined: boolean }> {
  const { sessionId, text, from } = message;
  const definition = requireStartable(await parts.findAgent(message.agent));
  const hash = await parts.store.blobs.put(JSON.stringify(definition));
  const runId = parts.ids.runId(parts.clock.now());
  const id = idempotencyKey === undefined ? parts.ids.nonce() : messageIdFor(idempotencyKey);
  const context: Payload<"CONTEXT_ADDED"> = { id, source: "person", from, text };
  const { agent: _, text: task, from: __, ...request } = message;
  const start = runStartPayload({ agent: definition.name, task, ...request }, definition, hash, runId, parts);
  const idempotency =
    idempotencyKey === undefined
      ? {}
      : { idempotency: { key: idempotencyKey, body: JSON.stringify({ say: message }) } };
  const said = await parts.store.runs.say({
    sessionId,
    agent: definition.name,
    context,
    runId,
    start,
    ...idempotency,
  });
  await parts.wake(said.runId);
  return said;
}
