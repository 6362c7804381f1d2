// Converts the bytes of a page to text without invisible characters.
// People cannot see invisible characters, so such characters can only be meant for the model.

import type { TextKind } from "./content-type.ts";
import { toMarkdown } from "./html-to-markdown.ts";

export interface PageSource {
  bytes: Uint8Array;
  kind: TextKind;
  /** The Content-Type header, including the charset. */
  type: string;
  url: string;
  /** Position of the first character to return. `limit` is the number of characters. */
  offset: number;
  limit: number;
}

export interface PageText {
  title: string;
  text: string;
  /** Length of the whole text, in characters. */
  length: number;
  /** Number of removed elements and sequences of characters that people could not see. */
  hidden: number;
}

/** Converts a part of a page to text. Undefined if the bytes turn out not to be text. */
export function pageText({ bytes, kind, type, url, offset, limit }: PageSource): PageText | undefined {
  const source = decode(bytes, type);
  if (source.includes("\0")) return undefined;
  const isHtml = kind === "html" || (kind === "unsaid" && /^\s*<(!doctype html|html)\b/i.test(source));
  const page = isHtml ? toMarkdown(source, url) : { title: "", text: source, hidden: 0 };
  const { text, hidden } = withoutInvisible(page.text);
  const title = withoutInvisible(page.title).text.replace(/\s+/g, " ").slice(0, 300);
  return {
    title,
    text: wholeSlice(text, offset, limit),
    length: text.length,
    hidden: page.hidden + hidden,
  };
}

/** A byte order mark overrides the header, and the header overrides the page's own declaration. */
function decode(bytes: Uint8Array, type: string): string {
  const marked = { "239,187": "utf-8", "254,255": "utf-16be", "255,254": "utf-16le" };
  const mark = marked[bytes.subarray(0, 2).join() as keyof typeof marked];
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  const said =
    /charset\s*=\s*["']?([\w:.-]+)/i.exec(type)?.[1] ??
    /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i.exec(head)?.[1];
  return decoderFor(mark ?? said ?? "utf-8").decode(bytes);
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}

/** Matches control characters, direction marks, tag characters, and all other characters without width. */
const UNSEEN = /(?:[^\t\n\P{Cc}]|\p{Cf}|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800])+/gu;
/** A single joiner or selector belongs to a word or an emoji. A longer sequence might spell hidden text. */
const PART_OF_TEXT = new Set(["\u200C", "\u200D", "\uFE0E", "\uFE0F", "\uFE0F\u200D"]);

function withoutInvisible(source: string): { text: string; hidden: number } {
  let hidden = 0;
  const text = source.replace(/\r\n?/g, "\n").replace(UNSEEN, (run) => {
    if (PART_OF_TEXT.has(run)) return run;
    if (run.length > 3) hidden += 1;
    return /[\u2028\u2029]/.test(run) ? "\n" : "";
  });
  return { text, hidden };
}

function wholeSlice(text: string, offset: number, limit: number): string {
  return text.slice(offset, offset + limit).toWellFormed();
}
