// Builds the text of a person's message in an editor, and appends the attachments.
// Attachments are trusted as much as the message.

import type { ContentBlock } from "@agentclientprotocol/sdk";
import { CadreError } from "../../errors.ts";

export function promptText(prompt: readonly ContentBlock[]): string {
  const words: string[] = [];
  const attached: string[] = [];
  for (const block of prompt) {
    if (block.type === "text") words.push(block.text);
    else if (block.type === "resource_link") words.push(placeOf(block.uri));
    else if (block.type === "resource" && "text" in block.resource) {
      words.push(placeOf(block.resource.uri));
      attached.push(`Attached ${placeOf(block.resource.uri)}:\n\n${block.resource.text}`);
    } else
      throw new CadreError("BAD_REQUEST", `Only text can be sent here, no ${block.type}. Nothing was sent.`);
  }
  const message = words.join("").trim();
  if (message === "") throw new CadreError("BAD_REQUEST", "The message has no text. Nothing was sent.");
  return [message, ...attached].join("\n\n");
}

function placeOf(uri: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    throw new CadreError("BAD_REQUEST", `${uri} names no file. Nothing was sent.`);
  }
}
