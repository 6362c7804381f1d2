// Shows a run as one growing answer: the agent's text, turn by turn, and finally the result.
// Tokens are passed on while they stream, and the journal corrects them. No text is repeated and none is missing:
//  - If a repeated model call begins with the same text, the answer continues. Otherwise the answer starts over and says so.
//  - If tokens were dropped, their text is taken from the journal.

import { isTurn, type JournalEvent } from "../../journal/events.ts";
import { textOf } from "../../journal/message.ts";
import { emptyNames, learnNames, type Names, timelineEntry } from "../../projections/views/timeline.ts";
import type { StreamItem } from "../client/types.ts";

export interface Activity {
  run_id: string;
  type: JournalEvent["type"];
  title: string;
}

export interface AnswerPart {
  text?: string;
  /** A step that is not text: a call, a child run or a wait. */
  activity?: Activity;
}

const ASKED_AGAIN = "(The model was asked again; ignore the unfinished text before this.)\n\n";

/** `isRecordedBy` recognizes the message to answer. It is needed only if the message joined an active run. */
export function createAnswerText(runId: string, isRecordedBy?: (event: JournalEvent) => boolean) {
  const turns = new Set<string>();
  const sent = new Map<string, string>();
  const streamed = new Map<string, string>();
  const names = new Map<string, Names>();
  let content = "";
  let isAnswering = isRecordedBy === undefined;

  const append = (text: string, isNew: boolean): string => {
    const piece = isNew && content !== "" ? `\n\n${text}` : text;
    content += piece;
    return piece;
  };
  /** Returns the part of a model call's text that was not sent yet. Returns undefined if the text differs from the text already sent. */
  const newPart = (callId: string, whole: string): string | undefined => {
    const before = sent.get(callId) ?? "";
    if (!whole.startsWith(before)) return undefined;
    if (whole === before) return "";
    sent.set(callId, whole);
    return append(whole.slice(before.length), before === "");
  };
  const addEvent = (event: JournalEvent): AnswerPart => {
    const known = names.get(event.runId) ?? emptyNames();
    names.set(event.runId, known);
    learnNames(known, event);
    if (event.runId === runId && event.type === "MODEL_CALL_STARTED" && isTurn(event.payload.purpose))
      turns.add(event.payload.callId);
    if (event.runId === runId && event.type === "AGENT_THOUGHT" && turns.has(event.payload.callId)) {
      const { callId, content: said } = event.payload;
      const text = textOf(said);
      return { text: newPart(callId, text) ?? append(`${ASKED_AGAIN}${text}`, true) };
    }
    const entry = timelineEntry(event, known);
    return entry ? { activity: { run_id: event.runId, type: event.type, title: entry.title } } : {};
  };
  return {
    add(item: StreamItem): AnswerPart {
      if (item.type === "event" && !isAnswering) {
        isAnswering = isRecordedBy!(item.event);
        return {};
      }
      if (item.type === "event") return addEvent(item.event);
      if (item.type === "reset" || !isAnswering) return {};
      const { type, callId, attempt, text } = item.delta;
      if (type !== "text.delta" || item.delta.runId !== runId || !turns.has(callId)) return {};
      const key = `${callId}~${attempt}`;
      const whole = (streamed.get(key) ?? "") + text;
      streamed.set(key, whole);
      return { text: newPart(callId, whole) ?? "" };
    },
    /** Returns the run's result, or nothing if the answer already ends with the result. */
    end: (summary: string): string =>
      content.trimEnd().endsWith(summary.trim()) ? "" : append(summary, true),
    /** Adds a note from Cadre itself. */
    addNote: (text: string): string => append(text, true),
  };
}
