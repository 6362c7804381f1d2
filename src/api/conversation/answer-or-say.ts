// Delivers the text that a person writes in a session: as the answer to an open question, or as a message.
// A repeated request with the same key finds the delivered text, so the text is never delivered twice.

import { randomUUID } from "node:crypto";
import type { JournalEvent } from "../../journal/events.ts";
import type { SentFile } from "../../loop/attachments/store-files.ts";
import { messageIdFor } from "../../loop/commands/messages.ts";
import type { ApprovalView, RunSummary } from "../client/types.ts";
import type { WithClient } from "../mcp/tool.ts";

export interface UserMessage {
  sessionId: string;
  agent: string;
  text: string;
  attachments?: SentFile[] | undefined;
  /** The idempotency key that the sender chose. */
  key?: string | undefined;
  /** Tells whether the text is allowed to answer this item. */
  answers(item: ApprovalView): boolean;
}

export interface DeliveredMessage {
  runId: string;
  /** True if the message started the run. */
  isNew: boolean;
  /** Recognizes the event that records this message. Absent for a new run. */
  isRecordedBy?: (event: JournalEvent) => boolean;
}

/** Delivers the message. First calls `onKey` with the id that the message will have in the journal. */
export async function answerOrSay(
  message: UserMessage,
  ask: WithClient,
  onKey?: (id: string) => void,
): Promise<DeliveredMessage> {
  const { sessionId, agent, text, attachments, key = randomUUID() } = message;
  const say = (body: { text: string; attachments?: SentFile[] | undefined }, idempotencyKey: string) =>
    ask((client) =>
      client.post("/api/sessions/{id}/messages", {
        id: sessionId,
        body: { agent, attended: true, ...body },
        idempotencyKey,
      }),
    );
  const filter = { session: sessionId, agent, roots: true, limit: 1 };
  const [last] = (await ask((client) => client.get("/api/runs", filter))).runs;
  const target = last && (await findQuestion(message, last, ask));
  if (last && target) {
    // An answer cannot have files, so a separate message carries them. That message is sent first, so that nothing has been sent if a file is refused.
    if (attachments) await say({ text: "The files that belong to my answer.", attachments }, `${key}/files`);
    if (target.approvalId !== undefined) await answer(message, target.approvalId, ask);
    return { runId: last.id, isNew: false, isRecordedBy: isDecision(target) };
  }
  onKey?.(messageIdFor(key));
  const { runId, joined } = await say({ text, attachments }, key);
  const isMessage = ({ type, payload }: JournalEvent): boolean =>
    type === "CONTEXT_ADDED" && payload.id === messageIdFor(key);
  return { runId, isNew: !joined, ...(joined ? { isRecordedBy: isMessage } : {}) };
}

/** A question. `approvalId` is absent if an earlier request with the same key has answered it. */
interface Question extends Pick<ApprovalView, "runId" | "itemId"> {
  approvalId?: string;
}

/** Finds the question that the message answers. Returns undefined if the message answers none. */
async function findQuestion(
  { key, answers }: UserMessage,
  last: RunSummary,
  ask: WithClient,
): Promise<Question | undefined> {
  const before = key === undefined ? undefined : await deliveredBefore(messageIdFor(key), last.id, ask);
  if (before) return before === "said" ? undefined : before;
  if (last.endedAt !== undefined) return undefined;
  const { approvals } = await ask((client) => client.get("/api/approvals", { run: last.id }));
  const found = approvals.find(answers);
  return found && { runId: found.runId, itemId: found.itemId, approvalId: found.id };
}

async function answer({ text, key }: UserMessage, id: string, ask: WithClient): Promise<void> {
  const messageId = key === undefined ? undefined : messageIdFor(key);
  const body = { decision: "answer", answer: text, messageId } as const;
  await ask((client) => client.post("/api/approvals/{id}", { id, body }));
}

/** Finds out whether an earlier request delivered this message. A message that became the run's task must not answer a question too. */
async function deliveredBefore(
  id: string,
  runId: string,
  ask: WithClient,
): Promise<Question | "said" | undefined> {
  for (const { type, payload, runId: of } of await ask((client) => client.treeEvents(runId))) {
    if (type === "RUN_STARTED" && payload.messageId === id) return "said";
    if (type === "CONTEXT_ADDED" && payload.id === id) return "said";
    if (type === "APPROVAL_DECIDED" && payload.messageId === id) return { runId: of, itemId: payload.itemId };
  }
  return undefined;
}

const isDecision =
  ({ runId, itemId }: Question) =>
  (event: JournalEvent): boolean =>
    event.type === "APPROVAL_DECIDED" && event.runId === runId && event.payload.itemId === itemId;
