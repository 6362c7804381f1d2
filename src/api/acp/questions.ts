// Shows the open questions of a tree to the person at the editor.
// Each question is asked once, and withdrawn when another person decides it. Several questions can be open at the same time.
// A question without choices is sent as text, and the person's next message answers it.
// A question that the editor dismisses stays open, and is asked again when the person sends the next message.

import { type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import type { ApprovalView } from "../client/types.ts";
import { type EditorConnection, sendText } from "./editor-connection.ts";
import { approvalTitle, isFreeQuestion, requestPermission } from "./permission.ts";

export interface Questions {
  /** Asks open questions that were not asked yet. */
  askNew(): Promise<void>;
  /** Asks dismissed questions again, and questions that need a text. A message answers only one of those, so the others are still open. */
  askAgain(): Promise<void>;
  handleEvent(event: JournalEvent): Promise<void>;
}

export interface QuestionListener {
  /** Called when the run needs the person's next message. */
  onNeedsMessage(): void;
  /** True if the person has cancelled the turn. Cancelling dismisses all questions of the turn. */
  isCancelled(): boolean;
  onError(error: unknown): void;
}

interface Asked {
  item: ApprovalView;
  withdraw: AbortController;
  /** `written`: the question was sent as text. `open`: the editor shows the question. */
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
      const isText = isFreeQuestion(item);
      const question: Asked = { item, withdraw: new AbortController(), state: isText ? "written" : "open" };
      asked.set(item.id, question);
      if (isText) {
        await sendText(connection, `\n\n${[...item.path.slice(1), item.detail].join(" › ")}`);
        listener.onNeedsMessage();
      } else void askEditor(question).catch(listener.onError);
    }
  }

  async function askEditor(question: Asked): Promise<void> {
    const withdrawn = AbortSignal.any([question.withdraw.signal, connection.signal]);
    // Mark the question as dismissed before the result is known, so that it is asked again even after an error.
    const isDecided = await requestPermission(question.item, connection, withdrawn).finally(() => {
      question.state = "dismissed";
    });
    if (isDecided) question.state = "decided";
    await endTurnIfDismissed();
  }

  /** Ends the turn if all open questions were dismissed. The run is waiting, so nothing else would end the turn. */
  async function endTurnIfDismissed(): Promise<void> {
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
      for (const question of asked.values()) {
        if (!isAnswer(event, question.item)) continue;
        question.withdraw.abort();
        question.state = "decided";
      }
      const isAsking = event.type === "TOOL_PROPOSED" && event.payload.verdict === "ask";
      if (isAsking || event.type === "RUN_SUSPENDED") await askNew();
    },
  };
}

/** True if the event settles the open item. */
function isAnswer({ runId, type, payload }: JournalEvent, item: ApprovalView): boolean {
  if (runId !== item.runId) return false;
  if (type === "APPROVAL_DECIDED") return payload.itemId === item.itemId;
  if (type === "OUTCOME_DECIDED") return item.callId?.replace(/~\d+$/, "") === payload.toolCallId;
  return type === "CANCEL_REQUESTED" || TERMINAL_TYPES.has(type);
}
