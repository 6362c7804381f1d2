// Turns a server's result into the text that a model reads, with a note for each part that is not text. Unless the user
// trusts the server, the text is untrusted: it is enclosed in a mark that it cannot close.

import type { CallToolResult } from "@modelcontextprotocol/client";
import { markUntrusted } from "../journal/untrusted.ts";
import { boundOutput, CONTEXT_BYTES } from "../tools/bound-output.ts";
import type { ToolAnswer } from "../tools/tool.ts";

export interface AnswerSource {
  server: string;
  /** Whether the user trusts the server's text. */
  trusted: boolean;
  nonce: string;
}

/** Bytes reserved for the mark and for our own text before it. */
const FRAME = 1_000;

export function answerOf(result: CallToolResult, said: AnswerSource): ToolAnswer {
  const text = textOf(result) || "(no content)";
  const answer = markAnswer("", text, said);
  return result.isError === true ? { ...answer, isError: true } : answer;
}

/** `lead` is our own text, placed before the server's. */
export function markAnswer(lead: string, text: string, { server, trusted, nonce }: AnswerSource): ToolAnswer {
  const source = `mcp ${server}`;
  const framed = (words: string): string => lead + (trusted ? words : markUntrusted(nonce, source, words));
  const { text: shown, cut } = boundOutput(text, CONTEXT_BYTES - FRAME);
  return {
    output: framed(shown),
    ...(cut ? { full: framed(text) } : {}),
    ...(trusted ? {} : { untrusted: source }),
  };
}

function textOf({ content, structuredContent }: CallToolResult): string {
  const parts = content.map(partText).filter((part) => part !== "");
  if (parts.length > 0 || structuredContent === undefined) return parts.join("\n");
  return JSON.stringify(structuredContent, null, 2);
}

function partText(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type} ${part.mimeType}, ${sizeOf(part.data)}: it cannot be shown here]`;
    case "resource_link":
      return `[resource ${part.uri}${part.description === undefined ? "" : `: ${part.description}`}]`;
    case "resource": {
      const { resource } = part;
      if ("text" in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri}, ${sizeOf(resource.blob)}: it cannot be shown here]`;
    }
    default:
      return "[content of a kind that is not known here]";
  }
}

/** Size of base64 data once decoded. */
const sizeOf = (data: string): string => `${Math.ceil((data.length * 3) / 4 / 1024)} kB`;
