// What a shown tree asks of the person at the editor: each thing once, all that are open at the same time. What somebody else decides
// takes the question away. What only words can answer is said, and their next message answers it. What the editor puts aside still
// waits, and is asked again with their next message.

import { type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import type { ApprovalView } from "../client/types.ts";
import { type EditorConnection, sendText } from "./editor-connection.ts";
import { approvalTitle, isFreeQuestion, requestPermission } from "./permission.ts";

export interface Questions {
  /** Asks what is open and was not asked yet. */
  askNew(): Promise<void>;
  /** Says again what only words can answer (of several, one was answered), and asks again what was put aside. */
  askAgain(): Promise<void>;
  handleEvent(event: JournalEvent): Promise<void>;
}

export interface QuestionListener {
  /** Only the person's next message lets it go on. */
  onNeedsMessage(): void;
  /** The person has cancelled the turn: what was put aside by that waits for nobody. */
  isCancelled(): boolean;
  onError(error: unknown): void;
}

interface Asked {
  item: ApprovalView;
  withdraw: AbortController;
  /** Said in words, put to the editor, decided, or put aside by it. */
  state: "said" | "open" | "decided" | "aside";
}

export function createQuestions(
  runId: string,
  desk: EditorConnection,
  listener: QuestionListener,
): Questions {
  const asked = new Map<string, Asked>();

  async function look(): Promise<void> {
    for (const item of await desk.ask((client) =>
      client.get("/api/approvals", { run: runId }).then(({ approvals }) => approvals),
    )) {
      if (asked.has(item.id)) continue;
      const isWords = isFreeQuestion(item);
      const one: Asked = { item, withdraw: new AbortController(), state: isWords ? "said" : "open" };
      asked.set(item.id, one);
      if (isWords) {
        await sendText(desk, `\n\n${[...item.path.slice(1), item.detail].join(" › ")}`);
        listener.onNeedsMessage();
      } else void put(one).catch(listener.onError);
    }
  }

  async function put(one: Asked): Promise<void> {
    const withdrawn = AbortSignal.any([one.withdraw.signal, desk.signal]);
    // As long as nothing else is known: what fails is asked again with the next message.
    const isDecided = await requestPermission(one.item, desk, withdrawn).finally(() => {
      one.state = "aside";
    });
    if (isDecided) one.state = "decided";
    await waitForWords();
  }

  /** A turn that nothing of what the editor shows could end would never end. */
  async function waitForWords(): Promise<void> {
    const all = [...asked.values()];
    const aside = all.filter(({ state }) => state === "aside");
    if (aside.length === 0 || all.some(({ state }) => state === "open") || listener.isCancelled()) return;
    const lines = aside.map(({ item }) => `- ${approvalTitle(item)} (\`cadre approve ${item.id}\`)`);
    await sendText(desk, `\n\nThis still waits for you; your next message asks again:\n${lines.join("\n")}`);
    listener.onNeedsMessage();
  }

  return {
    askNew: look,
    async askAgain() {
      for (const [id, { state }] of asked) if (state === "said" || state === "aside") asked.delete(id);
      await look();
    },
    async handleEvent(event) {
      for (const one of asked.values()) {
        if (!isAnswer(event, one.item)) continue;
        one.withdraw.abort();
        one.state = "decided";
      }
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
