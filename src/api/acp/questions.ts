// What a shown tree asks of the person at the editor: each thing once, all that are open at the same time. What somebody else decides
// takes the question away. What only words can answer is said, and their next message answers it.

import { type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import type { ApprovalView } from "../schema.ts";
import { type Desk, say } from "./desk.ts";
import { isFreeQuestion, requestPermission } from "./permission.ts";

export interface Questions {
  /** Asks what is open and was not asked yet. */
  look(): Promise<void>;
  /** Says again what only words can answer: of several, one was answered. */
  sayAgain(): Promise<void>;
  event(event: JournalEvent): Promise<void>;
}

export interface Listener {
  /** Only the person's next message lets it go on. */
  needsWords(): void;
  failed(error: unknown): void;
}

export function createQuestions(runId: string, desk: Desk, listener: Listener): Questions {
  const asked = new Map<string, { item: ApprovalView; withdraw: AbortController }>();
  async function look(): Promise<void> {
    for (const item of await desk.ask((client) => client.approvals({ runId }))) {
      if (asked.has(item.id)) continue;
      const withdraw = new AbortController();
      asked.set(item.id, { item, withdraw });
      if (isFreeQuestion(item)) {
        await say(desk, `\n\n${[...item.path.slice(1), item.detail].join(" › ")}`);
        listener.needsWords();
        continue;
      }
      const withdrawn = AbortSignal.any([withdraw.signal, desk.signal]);
      void requestPermission(item, desk, withdrawn).catch(listener.failed);
    }
  }
  return {
    look,
    async sayAgain() {
      for (const [id, { item }] of asked) if (isFreeQuestion(item)) asked.delete(id);
      await look();
    },
    async event(event) {
      for (const { item, withdraw } of asked.values()) if (isAnswer(event, item)) withdraw.abort();
      const isAsking = event.type === "TOOL_PROPOSED" && event.payload.verdict === "ask";
      if (isAsking || event.type === "RUN_SUSPENDED") await look();
    },
  };
}

/** After it there is nothing left to ask. */
function isAnswer({ runId, type, payload }: JournalEvent, item: ApprovalView): boolean {
  if (runId !== item.runId) return false;
  if (type === "APPROVAL_DECIDED") return payload.itemId === item.itemId;
  if (type === "OUTCOME_DECIDED") return item.callId?.replace(/~\d+$/, "") === payload.toolCallId;
  return type === "CANCEL_REQUESTED" || TERMINAL_TYPES.has(type);
}
