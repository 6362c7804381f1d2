// Shows one run and its descendants in the editor: past events from the journals, then live events and questions.
// If the owner process stops, the watch continues with the next owner process. It continues after the last event that was shown.

import { timelineEntry } from "../../projections/views/timeline.ts";
import type { RunDetail, StreamItem } from "../client/types.ts";
import { createAnswerText } from "../conversation/answer-text.ts";
import { NEEDS_COMMAND } from "../conversation/stopped-runs.ts";
import { type EditorConnection, sendText, sendUpdate } from "./editor-connection.ts";
import { createQuestions, type QuestionListener } from "./questions.ts";
import { createUpdates } from "./updates.ts";

export interface Watch {
  runId: string;
  /** Shows the events that the journals contain so far. */
  showPast(): Promise<void>;
  /** Shows live events until the run ends, and returns the run. Returns undefined if the connection ends first. */
  follow(): Promise<RunDetail | undefined>;
  /** Sends the part of the result that was not sent yet. */
  showEnd(summary: string): Promise<void>;
  askAgain(): Promise<void>;
}

/** `isOwn` tells whether a run or message came from this editor. */
export function watchRun(
  runId: string,
  connection: EditorConnection,
  isOwn: (id: string) => boolean,
  listener: QuestionListener,
): Watch {
  const answer = createAnswerText(runId);
  const updates = createUpdates(runId, isOwn);
  const questions = createQuestions(runId, connection, listener);
  let position = 0;

  async function showItem(item: StreamItem): Promise<void> {
    await sendText(connection, answer.add(item).text ?? "");
    if (item.type === "delta" && item.delta.type === "reasoning.delta" && item.delta.runId === runId)
      await sendText(connection, item.delta.text, "thought");
    if (item.type !== "event") return;
    for (const update of updates(item.event)) await sendUpdate(connection, update);
    position = item.event.position;
  }

  async function showLive(item: StreamItem): Promise<void> {
    await showItem(item);
    if (item.type !== "event") return;
    const { event } = item;
    await questions.handleEvent(event);
    if (event.runId !== runId || event.type !== "RUN_SUSPENDED") return;
    if (!NEEDS_COMMAND.has(event.payload.waitingOn.kind)) return;
    await sendText(connection, `\n\n${timelineEntry(event)!.title}`);
    listener.onNeedsMessage();
  }

  return {
    runId,
    async showPast() {
      for (const event of await connection.ask((client) => client.treeEvents(runId)))
        await showItem({ type: "event", event });
    },
    async follow() {
      const { signal } = connection;
      await questions.askNew();
      await connection.ask(async (client) => {
        const wanted = { runId, tree: true, after: position, signal };
        for await (const item of client.follow(wanted)) await showLive(item);
      });
      return signal.aborted
        ? undefined
        : connection.ask((client) => client.get("/api/runs/{id}", { id: runId }));
    },
    showEnd: (summary) => sendText(connection, answer.end(summary)),
    askAgain: questions.askAgain,
  };
}
