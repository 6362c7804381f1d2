// Formats log lines for the model. Log text is untrusted, because it can contain text from anyone who uses the service.
// A line cannot look like two lines. Hidden characters are visible. The text is inside a mark that the text cannot close.

import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { markUntrusted } from "../../journal/untrusted.ts";
import { revealHidden } from "../../journal/visible.ts";
import { boundOutput } from "../answers.ts";
import type { ToolAnswer, ToolContext } from "../tool.ts";
import type { LokiReply } from "./client.ts";
import { formatTime } from "./time-range.ts";

export interface LogLine {
  /** Nanoseconds since 1970. */
  at: bigint;
  labels: Readonly<Record<string, string>>;
  text: string;
}

const Labels = z.record(z.string(), z.string());
const Nanoseconds = z.string().regex(/^\d{1,20}$/);

export const Streams = z.object({
  resultType: z.literal("streams"),
  result: z.array(
    // The third item, if there is one, is structured metadata.
    z.object({ stream: Labels, values: z.array(z.tuple([Nanoseconds, z.string()], z.unknown())) }),
  ),
});

/** The lines of all streams, oldest first. */
export function logLines({ result }: z.output<typeof Streams>): LogLine[] {
  return result
    .flatMap(({ stream, values }) =>
      values.map(([at, text]): LogLine => ({ at: BigInt(at), labels: stream, text })),
    )
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Labels that all lines share are printed once, before the lines. */
export function formatLines(lines: readonly LogLine[]): string {
  const shared = sharedLabels(lines);
  const rows = lines.map(({ at, labels, text }) => {
    const own = Object.fromEntries(Object.entries(labels).filter(([name]) => !Object.hasOwn(shared, name)));
    return [
      formatTime(at),
      ...(Object.keys(own).length > 0 ? [formatLabels(own)] : []),
      formatLine(text),
    ].join(" ");
  });
  return [`all: ${formatLabels(shared)}`, ...rows].join("\n");
}

const MAX_LINE = 2_000;

/** Continuation lines are indented, so that none of them looks like a log line of its own. */
export function formatLine(text: string, max = MAX_LINE): string {
  const clean = revealHidden(stripVTControlCharacters(text).replace(/\r?\n$/, ""));
  const short =
    clean.length > max ? `${clean.slice(0, max)}… (${clean.length - max} more characters)` : clean;
  return short.replaceAll("\n", "\n    ");
}

export function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([name, value]) => `${name}=${JSON.stringify(revealHidden(value))}`).join(", ")}}`;
}

function sharedLabels(lines: readonly LogLine[]): Record<string, string> {
  const [first, ...others] = new Set(lines.map(({ labels }) => labels));
  const shared = Object.entries(first ?? {}).filter(([name, value]) =>
    others.every((labels) => Object.hasOwn(labels, name) && labels[name] === value),
  );
  return Object.fromEntries(shared);
}

/** Cadre's own sentence, followed by the untrusted text inside the mark. If the text is too long, `full` contains the whole text. */
export function untrustedAnswer(
  words: string,
  theirs: string,
  context: ToolContext,
  source = "loki",
): ToolAnswer {
  const nonce = context.nonce();
  const addMark = (text: string): string => `${words}\n${markUntrusted(nonce, source, text)}`;
  const bounded = boundOutput(theirs);
  if (!bounded.cut) return { output: addMark(theirs), untrusted: source };
  const full = addMark(theirs);
  return { output: addMark(bounded.text), untrusted: source, full, size: Buffer.byteLength(full) };
}

export function failedAnswer(
  reply: LokiReply & { ok: false },
  context: ToolContext,
  source?: string,
): ToolAnswer {
  if (!reply.serverText) return { output: reply.why, isError: true };
  return { ...untrustedAnswer(reply.why, formatLine(reply.serverText), context, source), isError: true };
}
