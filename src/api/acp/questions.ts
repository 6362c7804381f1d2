// The open questions of a tree at the editor. Each is asked once, all of them at the same time, and withdrawn when another person
// decides it. A question without choices is written as text, and the person's next message answers it. A question that the
// editor dismisses stays open, and is asked again with the next message.

import { type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import type { ApprovalView } from "../client/types.ts";
import { type EditorConnection, sendText } from "./editor-connection.ts";
import { approvalTitle, isFreeQuestion, requestPermission } from "./permission.ts";

export interface Questions {
  /** Asks open questions that were not asked yet. */
  askNew(): Promise<void>;
  /** Asks again: questions without choices, of which a message answers only one, and dismissed ones. */
  askAgain(): Promise<void>;
  handleEvent(event: JournalEvent): Promise<void>;
}

export interface QuestionListener {
  /** The run needs the person's next message. */
  onNeedsMessage(): void;
  /** The person has cancelled the turn, which dismisses all its questions. */
  isCancelled(): boolean;
  onError(error: unknown): void;
}

interface Asked {
  item: ApprovalView;
  withdraw: AbortController;
  /** Written as text, shown by the editor, decided, or dismissed. */
  state: "written" | "open" | "decided" | "dismissed";
}

export function createQuestions(
  runId: string,
  connection: EditorConnection,
  listener: QuestionListener,
): Questions {
  const asked = new Map<string, Asked>();

  async function askNew(): Promise<void> {
    const { approvals } = await connection.ask((client) => client.get("/api/approvals", { run: runId }));
    for (const item of approvals) {
      if (asked.has(item.id)) continue;
      const isWords = isFreeQuestion(item);
      const one: Asked = { item, withdraw: new AbortController(), state: isWords ? "written" : "open" };
      asked.set(item.id, one);
      if (isWords) {
        await sendText(connection, `\n\n${[...item.path.slice(1), item.detail].join(" › ")}`);
        listener.onNeedsMessage();
      } else void askEditor(one).catch(listener.onError);
    }
  }

  async function askEditor(one: Asked): Promise<void> {
    const withdrawn = AbortSignal.any([one.withdraw.signal, connection.signal]);
    // Until it is decided it counts as dismissed, so that it is asked again even after an error.
    const isDecided = await requestPermission(one.item, connection, withdrawn).finally(() => {
      one.state = "dismissed";
    });
    if (isDecided) one.state = "decided";
    await waitForWords();
  }

  /** Ends the turn if the editor shows no open question any more: nothing else would end it. */
  async function waitForWords(): Promise<void> {
    const all = [...asked.values()];
    const dismissed = all.filter(({ state }) => state === "dismissed");
    if (dismissed.length === 0 || all.some(({ state }) => state === "open") || listener.isCancelled()) return;
    const lines = dismissed.map(({ item }) => `- ${approvalTitle(item)} (\`cadre approve ${item.id}\`)`);
    await sendText(
      connection,
      `\n\nThese are still open. Your next message asks again:\n${lines.join("\n")}`,
    );
    listener.onNeedsMessage();
  }

  return {
    askNew,
    async askAgain() {
      for (const [id, { state }] of asked) if (state === "written" || state === "dismissed") asked.delete(id);
      await askNew();
    },
    async handleEvent(event) {
      for (const one of asked.values()) {
        if (!isAnswer(event, one.item)) continue;
        one.withdraw.abort();
        one.state = "decided";
      }
      const isAsking = event.type === "TOOL_PROPOSED" && event.payload.verdict === "ask";
      if (isAsking || event.type === "RUN_SUSPENDED") await askNew();
    },
  };
}

/** The event settles the item. */
function isAnswer({ runId, type, payload }: JournalEvent, item: ApprovalView): boolean {
  if (runId !== item.runId) return false;
  if (type === "APPROVAL_DECIDED") return payload.itemId === item.itemId;
  if (type === "OUTCOME_DECIDED") return item.callId?.replace(/~\d+$/, "") === payload.toolCallId;
  return type === "CANCEL_REQUESTED" || TERMINAL_TYPES.has(type);
}
