// Reads the prompt that a run's model sees. If the run continues other runs, their messages come first.

import { z } from "zod";
import { describeFile } from "../../journal/attachment.ts";
import type { Definition } from "../../journal/definition.ts";
import type { EventOf, JournalEvent } from "../../journal/events.ts";
import type { PromptMessage } from "../../journal/message.ts";
import { eventsBefore, loadDefinition } from "../../loop/drive/run-journal.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import {
  messagesWithoutOpenCalls,
  promptMessages,
  transcriptProjection,
} from "../../projections/folds/transcript.ts";
import { fold } from "../../projections/projection.ts";
import type { ApiParts } from "../parts.ts";
import { namedObject, nameSchema } from "../routes/schemas.ts";

export interface TranscriptView {
  system: string;
  instructionFiles: string[];
  messages: PromptMessage[];
}

const part = z.object({ type: z.string() });

const prompt = {
  system: z.string(),
  /** The instruction files that the run was given, such as AGENTS.md, in the order in which it got them. */
  instructionFiles: z.array(z.string()),
};

export const Transcript = namedObject("Transcript", {
  ...prompt,
  messages: z.array(z.object({ role: z.enum(["user", "assistant", "tool"]), content: z.array(part) })),
});

export const ContextSummary = namedObject("ContextSummary", {
  ...prompt,
  messages: z.array(z.object({ role: z.string(), summary: z.string() })),
});

export const Context = nameSchema("Context", z.union([Transcript, ContextSummary]));

export async function readTranscript(row: RunRow, parts: ApiParts): Promise<TranscriptView> {
  const events = await parts.store.journal.read(row.id);
  const definition = await loadDefinition(parts.store, row.definition);
  const { payload, ts } = events[0] as EventOf<"RUN_STARTED">;
  const before = await eventsBefore(parts.store, payload);
  const transcript = fold(transcriptProjection, [...before, ...events]);
  return {
    system: parts.systemPrompt(definition, payload, ts),
    instructionFiles: [...new Set([...pinnedFiles(definition), ...events.flatMap(toldFiles)])],
    messages: row.endedAt === undefined ? messagesWithoutOpenCalls(transcript) : promptMessages(transcript),
  };
}

const pinnedFiles = ({ instructionFiles = [] }: Definition): string[] =>
  instructionFiles.map(({ file }) => file);

/** Instructions for a folder inside the project follow the first result of a call there. */
const toldFiles = (event: JournalEvent): string[] =>
  event.type === "TOOL_RESULT" ? (event.payload.told ?? []) : [];

const LINE = 200;

/** Shortens each message to one line with its role, its beginning, and the tools that it calls. */
export function summarizeTranscript({
  system,
  instructionFiles,
  messages,
}: TranscriptView): z.input<typeof ContextSummary> {
  return {
    system: lineOf(system),
    instructionFiles,
    messages: messages.map(({ role, content }) => ({
      role,
      summary: lineOf(content.map(partText).join(" ")),
    })),
  };
}

function partText(part: PromptMessage["content"][number]): string {
  switch (part.type) {
    case "tool-call":
      return `[${part.toolName}]`;
    case "tool-result":
      return `[${part.toolName}] ${typeof part.output.value === "string" ? part.output.value : JSON.stringify(part.output.value)}`;
    case "file":
      return `[${describeFile(part)}]`;
    default:
      return part.text;
  }
}

function lineOf(text: string): string {
  const line = text
    .slice(0, LINE * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > LINE ? `${line.slice(0, LINE)}…` : line;
}
