// The text of an event that full-text search indexes, and the words of a query.
// Only the beginning of a tool's output is indexed, so that the index stays small compared to the journal.

import type { JournalEvent } from "../../journal/events.ts";
import { textOf, toolCallsOf } from "../../journal/message.ts";

/** The index contains at most this many characters of a text, or of a tool's output. */
const TEXT_CHARACTERS = 16_384;
const TOOL_CHARACTERS = 2_048;

/** The text of an event for the index. Undefined if it has none. */
export function searchText(event: JournalEvent): string | undefined {
  const text = textsOf(event).join("\n");
  return text.trim() === "" ? undefined : text;
}

/** Splits a query into words. Like the index, it splits at every character that is neither a letter nor a digit. */
export function searchWords(query: string): string[] {
  return [...new Set(query.normalize("NFC").toLowerCase().match(WORD))];
}

/** Matches a word. A few letters are excluded, because SQLite splits words at them: they were no letters in older Unicode versions. */
export const WORD = /[[\p{L}\p{N}\p{Co}]--[\u19b0-\u19c9\u1cf2\u1cf3]]+/gv;

function textsOf(event: JournalEvent): string[] {
  switch (event.type) {
    case "RUN_STARTED":
      return [clipText(event.payload.task), clipValue(event.payload.input)];
    case "CONTEXT_ADDED":
    case "TEAM_MESSAGE":
      return [clipText(event.payload.text)];
    case "AGENT_THOUGHT": {
      const { content } = event.payload;
      return [clipText(textOf(content)), ...toolCallsOf(content).map(({ input }) => clipValue(input))];
    }
    case "TOOL_RESULT":
      return [clipValue(event.payload.output)];
    case "APPROVAL_DECIDED":
      return [clipText(event.payload.note ?? ""), clipText(event.payload.answer ?? "")];
    case "SYSTEM_ERROR":
    case "MODEL_CALL_FAILED":
      return [clipText(event.payload.message)];
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
      return [clipText(event.payload.summary), clipValue(event.payload.output)];
    default:
      return [];
  }
}

const clipText = (text: string): string => text.slice(0, TEXT_CHARACTERS);

function clipValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, TOOL_CHARACTERS);
}
