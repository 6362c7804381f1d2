// Clients of OpenAI's API send the whole conversation with each request. The last message is the new message.
// If the request names a session, the earlier messages are already known. Otherwise they are passed to the run as context.

import { CadreError } from "../../errors.ts";
import type { ChatBody, ChatMessage } from "./schema.ts";

export interface LatestMessage {
  text: string;
  /** The new message, preceded by the earlier conversation. A new run gets this text. */
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
  const history = before.map((message) => `[${message.role}] ${message.text}`).join("\n\n");
  return {
    text,
    whole: before.length === 0 ? text : `${text}\n\nThe conversation before this message:\n\n${history}`,
    sessionId: metadata?.["session_id"] || undefined,
  };
}

function textIn({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  const parts = content ?? [];
  const other = parts.find(({ type }) => type !== "text");
  if (other)
    throw new CadreError("BAD_REQUEST", `Only text can be sent here, no ${other.type}. Nothing was started.`);
  return parts.map(({ text = "" }) => text).join("");
}
