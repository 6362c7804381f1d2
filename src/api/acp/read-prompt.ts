// Builds a person's message in an editor: its text, followed by attached text, and its images and PDFs.
// Attachments are trusted as much as the message.

import type { ContentBlock } from "@agentclientprotocol/sdk";
import { CadreError } from "../../errors.ts";
import type { SentFile } from "../../loop/attachments/store-files.ts";

export interface EditorMessage {
  text: string;
  attachments?: SentFile[];
}

export function readPrompt(prompt: readonly ContentBlock[]): EditorMessage {
  const words: string[] = [];
  const attached: string[] = [];
  const files: SentFile[] = [];
  for (const block of prompt) {
    if (block.type === "text") words.push(block.text);
    else if (block.type === "resource_link") words.push(placeOf(block.uri));
    else if (block.type === "image") files.push({ name: nameOf(block.uri, files.length), data: block.data });
    else if (block.type === "resource" && "text" in block.resource) {
      words.push(placeOf(block.resource.uri));
      attached.push(`Attached ${placeOf(block.resource.uri)}:\n\n${block.resource.text}`);
    } else if (block.type === "resource" && "blob" in block.resource)
      files.push({ name: nameOf(block.resource.uri, files.length), data: block.resource.blob });
    else
      throw new CadreError(
        "BAD_REQUEST",
        `Only text, images and PDFs can be sent here, no ${block.type}. Nothing was sent.`,
      );
  }
  const message = words.join("").trim();
  if (message === "") throw new CadreError("BAD_REQUEST", "The message has no text. Nothing was sent.");
  const text = [message, ...attached].join("\n\n");
  return files.length === 0 ? { text } : { text, attachments: files };
}

/** The last part of a URI, or a numbered name if there is none. */
const nameOf = (uri: string | null | undefined, index: number): string =>
  (uri ? placeOf(uri).split("/").at(-1) : undefined) || `file-${index + 1}`;

function placeOf(uri: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    throw new CadreError("BAD_REQUEST", `${uri} names no file. Nothing was sent.`);
  }
}
