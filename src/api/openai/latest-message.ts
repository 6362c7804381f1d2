// Clients of OpenAI's API send the whole conversation with each request. The last message is the new message.
// If the request names a session, the earlier messages are already known. Otherwise they are passed to the run as context.

import { CadreError } from "../../errors.ts";
import { MAX_MESSAGE_BYTES, MAX_MESSAGE_FILES } from "../../journal/attachment.ts";
import type { SentFile } from "../../loop/attachments/store-files.ts";
import type { ChatBody, ChatMessage, ChatPart } from "./schema.ts";

export interface LatestMessage {
  text: string;
  /** Images and PDFs of the new message. */
  files: SentFile[];
  /** The new message, preceded by the earlier conversation. A new run gets this text. */
  whole: string;
  /** Files of the whole conversation. A new run gets these files. */
  wholeFiles: SentFile[];
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
  const files = filesIn(last);
  return {
    text,
    files,
    whole: before.length === 0 ? text : `${text}\n\nThe conversation before this message:\n\n${history}`,
    wholeFiles: [...earlierFiles(messages.slice(0, -1), files), ...files],
    sessionId: metadata?.["session_id"] || undefined,
  };
}

function textIn({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  const parts = content ?? [];
  const other = parts.find(({ type }) => !KNOWN_PARTS.includes(type));
  if (other)
    throw new CadreError(
      "BAD_REQUEST",
      `Only text, images and PDFs can be sent here, no ${other.type}. Nothing was started.`,
    );
  return parts.map(({ text = "" }) => text).join("");
}

const KNOWN_PARTS = ["text", "image_url", "file"];

function filesIn({ content }: ChatMessage): SentFile[] {
  if (typeof content === "string") return [];
  return (content ?? []).filter(({ type }) => type !== "text").map(fileOf);
}

function fileOf(part: ChatPart, index: number): SentFile {
  const url = part.image_url?.url ?? part.file?.file_data ?? "";
  const [, type, data] = /^data:([\w.+-]+\/[\w.+-]+)?[^,]{0,100};base64,(.*)$/s.exec(url) ?? [];
  if (!data)
    throw new CadreError(
      "BAD_REQUEST",
      "An image or file must be a `data:` URL in base64: Cadre fetches no other URLs. Nothing was started.",
    );
  return { name: part.file?.filename || `file-${index + 1}.${type?.split("/")[1] ?? "bin"}`, data };
}

/** Files of earlier messages. If not all of them fit into one message, the latest files are kept. */
function earlierFiles(messages: readonly ChatMessage[], latest: readonly SentFile[]): SentFile[] {
  const sizeOf = ({ data }: SentFile): number => (data.length * 3) / 4;
  let room = latest.reduce((left, file) => left - sizeOf(file), MAX_MESSAGE_BYTES);
  const files = messages.flatMap(filesIn).toReversed();
  const fitting = files.slice(0, Math.max(0, MAX_MESSAGE_FILES - latest.length)).filter((file) => {
    room -= sizeOf(file);
    return room >= 0;
  });
  return fitting.toReversed();
}
