// What a person says in a session: the answer to a question that waits for their words, or a message. Said again under its key, it is
// found again, and neither said nor answered twice.

import { randomUUID } from "node:crypto";
import type { JournalEvent } from "../../journal/events.ts";
import { messageIdFor } from "../../loop/commands/message-run.ts";
import type { ApprovalView, RunSummary } from "../client/types.ts";
import type { WithClient } from "../mcp/tool.ts";

export interface UserMessage {
  sessionId: string;
  agent: string;
  text: string;
  /** Its sender's own: they may send it again. */
  key?: string | undefined;
  /** What these words may answer. */
  answers(item: ApprovalView): boolean;
}

export interface DeliveredMessage {
  runId: string;
  /** The run was begun by these words. */
  isNew: boolean;
  /** Where the run was under way before: the event that has these words. */
  heardBy?: (event: JournalEvent) => boolean;
}

/** `onKey`: told what a message will be called in the journal, before it is sent. */
export async function answerOrSay(
  words: UserMessage,
  ask: WithClient,
  onKey?: (id: string) => void,
): Promise<DeliveredMessage> {
  const { sessionId, agent, text, key = randomUUID() } = words;
  const given = { session: sessionId, agent, roots: true, limit: 1 };
  const [last] = (await ask((client) => client.get("/api/runs", given))).runs;
  const answered = last && (await answer(words, last, ask));
  if (last && answered) return { runId: last.id, isNew: false, heardBy: isDecision(answered) };
  onKey?.(messageIdFor(key));
  const { runId, joined } = await ask((client) =>
    client.post("/api/sessions/{id}/messages", {
      id: sessionId,
      body: { agent, text, attended: true },
      idempotencyKey: key,
    }),
  );
  const isMessage = ({ type, payload }: JournalEvent): boolean =>
    type === "CONTEXT_ADDED" && payload.id === messageIdFor(key);
  return { runId, isNew: !joined, ...(joined ? { heardBy: isMessage } : {}) };
}

type Item = Pick<ApprovalView, "runId" | "itemId">;

async function answer(
  { text, key, answers }: UserMessage,
  last: RunSummary,
  ask: WithClient,
): Promise<Item | undefined> {
  const before = key === undefined ? undefined : await heardBefore(text, messageIdFor(key), last, ask);
  if (before) return before === "said" ? undefined : before;
  if (last.endedAt !== undefined) return undefined;
  const question = (
    await ask((client) => client.get("/api/approvals", { run: last.id }).then(({ approvals }) => approvals))
  ).find(answers);
  if (!question) return undefined;
  const note = key === undefined ? {} : { note: messageIdFor(key) };
  await ask((client) =>
    client.post("/api/approvals/{id}", {
      id: question.id,
      body: { decision: "answer", answer: text, ...note },
    }),
  );
  return question;
}

/** The same request once more: what began the run, or was said to it, is no answer to what it has asked since. */
async function heardBefore(
  text: string,
  id: string,
  { id: runId, task }: RunSummary,
  ask: WithClient,
): Promise<Item | "said" | undefined> {
  if (task === text) return "said";
  for (const { type, payload, runId: of } of await ask((client) => client.treeEvents(runId))) {
    if (type === "CONTEXT_ADDED" && payload.id === id) return "said";
    if (type === "APPROVAL_DECIDED" && payload.note === id) return { runId: of, itemId: payload.itemId };
  }
  return undefined;
}

const isDecision =
  ({ runId, itemId }: Item) =>
  (event: JournalEvent): boolean =>
    event.type === "APPROVAL_DECIDED" && event.runId === runId && event.payload.itemId === itemId;
