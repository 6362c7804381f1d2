// A client of OpenAI's sends the whole conversation each time. Its last message is what is said; what came before is known
// already where it names a session, and is told as data where it names none.

import { CadreError } from "../../errors.ts";
import type { ChatBody, ChatMessage } from "./schema.ts";

export interface LatestMessage {
  /** What the person says now. */
  text: string;
  /** The same with everything before it, for a run that knows nothing of it. */
  whole: string;
  sessionId: string | undefined;
}

export function readLatestMessage({ messages, metadata }: ChatBody): LatestMessage {
  const last = messages.at(-1)!;
  const text = last.role === "user" ? textIn(last).trim() : "";
  if (text === "")
    throw new CadreError(
      "BAD_REQUEST",
      "The last message must be a person's, with text in it. Nothing was started.",
    );
  const before = messages
    .slice(0, -1)
    .map((message) => ({ role: message.role, text: textIn(message).trim() }))
    .filter((message) => message.text !== "");
  const told = before.map((message) => `[${message.role}] ${message.text}`).join("\n\n");
  return {
    text,
    whole: before.length === 0 ? text : `${text}\n\nThe conversation before this message:\n\n${told}`,
    sessionId: metadata?.["session_id"] || undefined,
  };
}

function textIn({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  const parts = content ?? [];
  const other = parts.find(({ type }) => type !== "text");
  if (other)
    throw new CadreError("BAD_REQUEST", `Only text can be said here, no ${other.type}. Nothing was started.`);
  return parts.map(({ text = "" }) => text).join("");
}
