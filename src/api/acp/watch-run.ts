// One run and everything below it, as the editor watches it: what is past from the journals, then what happens, with what it asks.
// Where the process that has the store goes, it is watched on from the last event that was shown.

import { timelineEntry } from "../../projections/views/timeline.ts";
import type { RunDetail, StreamItem } from "../client/types.ts";
import { createAnswerText } from "../conversation/answer-text.ts";
import { NEEDS_COMMAND } from "../conversation/stopped-runs.ts";
import { type EditorConnection, sendText, sendUpdate } from "./editor-connection.ts";
import { createQuestions, type QuestionListener } from "./questions.ts";
import { createUpdates } from "./updates.ts";

export interface Watch {
  runId: string;
  /** Shows what has happened so far. */
  showPast(): Promise<void>;
  /** Shows what happens, until the run is over; undefined: the connection is. */
  follow(): Promise<RunDetail | undefined>;
  /** Says the words of the result that were not said yet. */
  showEnd(summary: string): Promise<void>;
  askAgain(): Promise<void>;
}

/** `isOwn`: whether a run or a message came from this editor. */
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
