// Shows one run and its descendants in the editor: the past from the journals, then live events and questions. If the owner
// process goes away, it continues from the last event shown.

import { timelineEntry } from "../../projections/views/timeline.ts";
import type { RunDetail, StreamItem } from "../client/types.ts";
import { createAnswerText } from "../conversation/answer-text.ts";
import { NEEDS_COMMAND } from "../conversation/stopped-runs.ts";
import { type EditorConnection, sendText, sendUpdate } from "./editor-connection.ts";
import { createQuestions, type QuestionListener } from "./questions.ts";
import { createUpdates } from "./updates.ts";

export interface Watch {
  runId: string;
  /** Shows the events so far. */
  showPast(): Promise<void>;
  /** Shows live events until the run has ended; undefined: the connection has ended. */
  follow(): Promise<RunDetail | undefined>;
  /** Sends the part of the result that was not sent yet. */
  showEnd(summary: string): Promise<void>;
  askAgain(): Promise<void>;
}

/** `isOwn`: the run or message came from this editor. */
export function watchRun(
  runId: string,
  desk: EditorConnection,
  isOwn: (id: string) => boolean,
  listener: QuestionListener,
): Watch {
  const teller = createAnswerText(runId);
  const updates = createUpdates(runId, isOwn);
  const questions = createQuestions(runId, desk, listener);
  let position = 0;

  async function tell(item: StreamItem): Promise<void> {
    await sendText(desk, teller.tell(item).text ?? "");
    if (item.type === "delta" && item.delta.type === "reasoning.delta" && item.delta.runId === runId)
      await sendText(desk, item.delta.text, "thought");
    if (item.type !== "event") return;
    for (const update of updates(item.event)) await sendUpdate(desk, update);
    position = item.event.position;
  }

  async function happen(item: StreamItem): Promise<void> {
    await tell(item);
    if (item.type !== "event") return;
    const { event } = item;
    await questions.handleEvent(event);
    if (event.runId !== runId || event.type !== "RUN_SUSPENDED") return;
    if (!NEEDS_COMMAND.has(event.payload.waitingOn.kind)) return;
    await sendText(desk, `\n\n${timelineEntry(event)!.title}`);
    listener.onNeedsMessage();
  }

  return {
    runId,
    async showPast() {
      for (const event of await desk.ask((client) => client.treeEvents(runId)))
        await tell({ type: "event", event });
    },
    async follow() {
      const { signal } = desk;
      await questions.askNew();
      await desk.ask(async (client) => {
        const wanted = { runId, tree: true, after: position, signal };
        for await (const item of client.follow(wanted)) await happen(item);
      });
      return signal.aborted ? undefined : desk.ask((client) => client.get("/api/runs/{id}", { id: runId }));
    },
    showEnd: (summary) => sendText(desk, teller.end(summary)),
    askAgain: questions.askAgain,
  };
}
