// Puts attached files into the prompt: as files for a model that can see them, otherwise as their names.
// The same journal and the same model always give the same prompt, so that the provider's cache can be used.

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
} from "@ai-sdk/provider";
import { describeFile } from "../../journal/attachment.ts";
import {
  filesOf,
  type PromptFile,
  type PromptMessage,
  type PromptToolResult,
} from "../../journal/message.ts";
import type { Store } from "../../stores/store.ts";

type Part = LanguageModelV4TextPart | LanguageModelV4FilePart;

interface FileSources {
  /** The media types that the model can see. */
  accepts: ReadonlySet<string>;
  store: { blobs: Pick<Store["blobs"], "get"> };
}

export async function showFiles(
  messages: readonly PromptMessage[],
  { accepts, store }: FileSources,
): Promise<LanguageModelV4Prompt> {
  const left = new Set(filesLeftOut(messages, accepts));
  const show: Show = async (file) => {
    const { mediaType, name: filename, blob } = file;
    if (!accepts.has(mediaType)) return "you cannot see files of this type";
    if (left.has(file)) return "left out, because later files need the space";
    const data = await store.blobs.get(blob).catch(() => undefined);
    if (data === undefined) return "its content is missing from the store";
    return { type: "file", mediaType, filename, data: { type: "data", data } };
  };
  return Promise.all(messages.map((message) => showIn(message, show)));
}

/** Returns the file for the prompt, or the reason why the model does not see the file. */
type Show = (file: PromptFile) => Promise<LanguageModelV4FilePart | string>;

const note = (file: PromptFile, why: string): string => `[${describeFile(file)}: ${why}]`;

async function showIn(message: PromptMessage, show: Show): Promise<LanguageModelV4Message> {
  if (message.role === "user") {
    const parts = message.content.map(async (part): Promise<Part[]> => {
      if (part.type === "text") return [part];
      const shown = await show(part);
      if (typeof shown === "string") return [{ type: "text", text: note(part, shown) }];
      return [{ type: "text", text: `[${describeFile(part)}]` }, shown];
    });
    return { role: "user", content: joinTexts((await Promise.all(parts)).flat()) };
  }
  if (message.role === "assistant") return message as LanguageModelV4Message;
  const content = await Promise.all(message.content.map((result) => showResult(result, show)));
  return { role: "tool", content } as LanguageModelV4Message;
}

/** Joins neighbouring texts, because some servers accept a message without files only as one text. */
export function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text")
      joined[joined.length - 1] = { type: "text", text: `${last.text}\n\n${part.text}` };
    else joined.push(part);
  }
  return joined;
}

/** A result becomes one text, followed by its files. Google's older models would treat each of several texts as a separate result. */
async function showResult({ files, ...result }: PromptToolResult, show: Show) {
  if (files === undefined) return result;
  const { value } = result.output;
  const parts = await Promise.all(files.map(show));
  const notes = parts.flatMap((part, index) => (typeof part === "string" ? [note(files[index]!, part)] : []));
  const shown = parts.filter((part) => typeof part !== "string");
  const text = [typeof value === "string" ? value : JSON.stringify(value), ...notes].join("\n");
  const output =
    shown.length === 0
      ? { type: "text", value: text }
      : { type: "content", value: [{ type: "text", text }, ...shown] };
  return { ...result, output };
}

/** Providers limit the size of a request, and also its number of files. So a file is treated as if it had at least `SMALLEST` bytes. */
const PROMPT_BYTES = 16_000_000;
const SMALLEST = 200_000;
/** Files are left out in large portions. Otherwise the beginning of the prompt would change with each new file. */
const PORTION = 8_000_000;

/** The oldest files of a conversation, which are left out if not all of its files fit into one request. */
export function filesLeftOut(messages: readonly PromptMessage[], accepts: ReadonlySet<string>): PromptFile[] {
  const files = messages.flatMap(filesOf).filter(({ mediaType }) => accepts.has(mediaType));
  const weigh = ({ bytes }: PromptFile): number => Math.max(bytes, SMALLEST);
  const over = files.reduce((sum, file) => sum + weigh(file), 0) - PROMPT_BYTES;
  if (over <= 0) return [];
  const portions = Math.ceil(over / PORTION) * PORTION;
  let end = 0;
  const firstShown = files.findIndex((file) => {
    const start = end;
    end += weigh(file);
    return start >= over && end > portions;
  });
  return files.slice(0, firstShown);
}
