// A run as one answer that grows: what its agent says, turn by turn, and at the end its result. Tokens are told as they stream; the
// journal has the last word. What was told is never told again, and nothing that counts is left out:
//  - a model call that is made anew goes on where the text before agrees with it, or begins again, and says so;
//  - what streamed too fast to be heard is told from the journal.

import { isTurn, type JournalEvent } from "../../journal/events.ts";
import { textOf } from "../../journal/message-parts.ts";
import { emptyNames, learnNames, type Names, timelineEntry } from "../../projections/views/timeline.ts";
import type { StreamItem } from "../client/types.ts";

export interface Activity {
  run_id: string;
  type: JournalEvent["type"];
  title: string;
}

export interface AnswerPart {
  text?: string;
  /** What happens beside the words: calls, children, waiting. */
  activity?: Activity;
}

const ASKED_AGAIN = "(The model was asked again; what it had begun to say does not count.)\n\n";

/** `heardBy`: of the words that are answered, where the run was under way before them. */
export function createAnswerText(runId: string, heardBy?: (event: JournalEvent) => boolean) {
  const turns = new Set<string>();
  const sent = new Map<string, string>();
  const heard = new Map<string, string>();
  const names = new Map<string, Names>();
  let content = "";
  let isAnswering = heardBy === undefined;

  const add = (text: string, isNew: boolean): string => {
    const piece = isNew && content !== "" ? `\n\n${text}` : text;
    content += piece;
    return piece;
  };
  /** What is not said yet of what a call says; undefined: it is not what was said before. */
  const rest = (callId: string, whole: string): string | undefined => {
    const before = sent.get(callId) ?? "";
    if (!whole.startsWith(before)) return undefined;
    if (whole === before) return "";
    sent.set(callId, whole);
    return add(whole.slice(before.length), before === "");
  };
  const tellEvent = (event: JournalEvent): AnswerPart => {
    const known = names.get(event.runId) ?? emptyNames();
    names.set(event.runId, known);
    learnNames(known, event);
    if (event.runId === runId && event.type === "MODEL_CALL_STARTED" && isTurn(event.payload.purpose))
      turns.add(event.payload.callId);
    if (event.runId === runId && event.type === "AGENT_THOUGHT" && turns.has(event.payload.callId)) {
      const { callId, content: said } = event.payload;
      const text = textOf(said);
      return { text: rest(callId, text) ?? add(`${ASKED_AGAIN}${text}`, true) };
    }
    const entry = timelineEntry(event, known);
    return entry ? { activity: { run_id: event.runId, type: event.type, title: entry.title } } : {};
  };
  return {
    tell(item: StreamItem): AnswerPart {
      if (item.type === "event" && !isAnswering) {
        isAnswering = heardBy!(item.event);
        return {};
      }
      if (item.type === "event") return tellEvent(item.event);
      if (item.type === "reset" || !isAnswering) return {};
      const { type, callId, attempt, text } = item.delta;
      if (type !== "text.delta" || item.delta.runId !== runId || !turns.has(callId)) return {};
      const key = `${callId}~${attempt}`;
      const whole = (heard.get(key) ?? "") + text;
      heard.set(key, whole);
      return { text: rest(callId, whole) ?? "" };
    },
    /** What the run's result says beyond what was said. */
    end: (summary: string): string => (content.trimEnd().endsWith(summary.trim()) ? "" : add(summary, true)),
    /** A word of ours, told like the agent's. */
    say: (text: string): string => add(text, true),
  };
}
