// Summarizes a service's errors: one entry for each kind of error, with its count, first time and last time.
// Each project has its own label for services, so the tool looks for the right label. A line is an error if its level or text says so.

import { z } from "zod";
import { nearestWord } from "../config/problem.ts";
import { refusal, textAnswer } from "./answers.ts";
import { type LokiAccess, type LokiReply, queryLoki, UNKNOWN_FORM } from "./loki/client.ts";
import {
  failedAnswer,
  formatLabels,
  formatLine,
  type LogLine,
  logLines,
  Streams,
  untrustedAnswer,
} from "./loki/log-lines.ts";
import { formatRange, formatTime, parseTimeRange, type TimeRange, timeInput } from "./loki/time-range.ts";
import { defineTool, type ToolAnswer, type ToolContext } from "./tool.ts";

const DEFAULT_LIMIT = 1_000;

export const lokiServiceErrorsTool = (access: LokiAccess) =>
  defineTool({
    name: "loki_service_errors",
    description:
      "Sums up the errors that a service logged to Loki: each kind once, with its count, first and last time, and the query that finds them. Start here, then look closer with loki_query.",
    input: z.strictObject({
      service: z.string().min(1).max(200).describe("The service, as its label in Loki says"),
      ...timeInput,
      limit: z
        .int()
        .min(1)
        .max(5_000)
        .optional()
        .describe("How many lines to look at, the newest first; 1000 by default"),
    }),
    effect: "read",
    reaches: ["network"],
    hosts: ["Loki"],
    idle: !access.settings,
    aliases: ["loki_errors"],

    async execute({ service, start, end, limit = DEFAULT_LIMIT }, context) {
      const when = parseTimeRange({ start: start || undefined, end: end || undefined });
      if (!when.ok) return refusal(when.why);
      const loki = createAsk(access, when.range, context);
      try {
        const names = await loki.names("labels");
        const label = await labelOf(service, names, loki);
        if (label === undefined) return await unknownService(service, names, loki, context);
        const queries = errorQueries(label, service, names);
        const found = await Promise.all(queries.map((query) => loki.lines(query, limit)));
        return summary({ service, queries, limit, found, range: when.range }, context);
      } catch (error) {
        if (error instanceof Failed) return failedAnswer(error.reply, context);
        throw error;
      }
    },
  });

/** Thrown to end the whole call when one of its queries fails. */
class Failed extends Error {
  readonly reply: LokiReply & { ok: false };
  constructor(reply: LokiReply & { ok: false }) {
    super(reply.why);
    this.reply = reply;
  }
}

interface Ask {
  names(path: string): Promise<string[]>;
  lines(query: string, limit: number): Promise<LogLine[]>;
}

function createAsk(access: LokiAccess, { start, end }: TimeRange, { signal }: ToolContext): Ask {
  const ask = async <T>(path: string, more: Record<string, string>, form: z.ZodType<T>): Promise<T> => {
    const parameters = { start: String(start), end: String(end), ...more };
    const reply = await queryLoki(access, { path, parameters, signal });
    if (!reply.ok) throw new Failed(reply);
    const data = form.safeParse(reply.data);
    if (data.success) return data.data;
    throw new Failed({ ok: false, why: UNKNOWN_FORM });
  };
  // Loki leaves out `data` if there are no names.
  const Names = z.array(z.string()).nullish();
  return {
    names: async (path) => (await ask(path, {}, Names)) ?? [],
    lines: async (query, limit) =>
      logLines(await ask("query_range", { query, limit: String(limit), direction: "backward" }, Streams)),
  };
}

/** Labels that might contain a service's name. The most reliable label comes first. */
const SERVICE_LABELS =
  "service_name service app application job container container_name compose_service component unit".split(
    " ",
  );
const LEVEL_LABELS = "level detected_level severity log_level".split(" ");
const ERROR_LEVEL = "(?i)(error|err|fatal|critical|crit|panic|alert|emerg|emergency)";
const ERROR_TEXT = "(?i)(error|fatal|panic|exception|critical|traceback)";

async function labelOf(service: string, names: readonly string[], loki: Ask): Promise<string | undefined> {
  for (const label of SERVICE_LABELS.filter((name) => names.includes(name))) {
    if ((await loki.names(`label/${label}/values`)).includes(service)) return label;
  }
  return undefined;
}

/** Builds two queries, because a line might show its level only in a label or only in its text. */
function errorQueries(label: string, service: string, names: readonly string[]): string[] {
  const selector = `${label}=${JSON.stringify(service)}`;
  const level = LEVEL_LABELS.find((name) => names.includes(name));
  return [
    `{${selector}} |~ ${JSON.stringify(ERROR_TEXT)}`,
    ...(level ? [`{${selector}, ${level}=~${JSON.stringify(ERROR_LEVEL)}}`] : []),
  ];
}

async function unknownService(
  service: string,
  names: readonly string[],
  loki: Ask,
  context: ToolContext,
): Promise<ToolAnswer> {
  const labels = SERVICE_LABELS.filter((name) => names.includes(name));
  const words = `No service ${JSON.stringify(service)} has logged anything in this time.`;
  if (labels.length === 0) {
    return refusal(`${words} No label names services: look at loki_labels, and use loki_query.`);
  }
  const known = await Promise.all(
    labels.map(async (label) => [label, await loki.names(`label/${label}/values`)] as const),
  );
  const meant = nearestWord(
    service,
    known.flatMap(([, values]) => values),
  );
  const listed = known.map(
    ([label, values]) =>
      `${label}: ${values
        .slice(0, 100)
        .map((value) => formatLine(value, 100))
        .join(", ")}`,
  );
  const hint = `${words} Take one of these, or ask about a longer time.`;
  const near = meant === undefined ? [] : [`nearest: ${formatLine(meant, 100)}`];
  return { ...untrustedAnswer(hint, [...near, ...listed].join("\n"), context), isError: true };
}

interface Found {
  service: string;
  queries: readonly string[];
  limit: number;
  /** The log lines that each query found. There is one list for each query. */
  found: readonly (readonly LogLine[])[];
  range: TimeRange;
}

const MAX_KINDS = 50;

function summary({ service, queries, limit, found, range }: Found, context: ToolContext): ToolAnswer {
  const span = formatRange(range);
  const lines = new Map(
    found.flat().map((line) => [`${line.at} ${formatLabels(line.labels)} ${line.text}`, line] as const),
  );
  const searched = `Found by: ${queries.join("  and  ")}`;
  if (lines.size === 0) {
    return textAnswer(
      `${JSON.stringify(service)} logged no errors, ${span}. It did log, so this is an answer. ${searched}`,
    );
  }
  const kinds = kindsOf([...lines.values()]);
  const cut = found.some((some) => some.length >= limit)
    ? ` These are the newest only (limit ${limit}), so counts and first times are too small: ask about a shorter time for exact ones.`
    : "";
  const words = `${lines.size} error ${lines.size === 1 ? "line" : "lines"} of ${kinds.length} ${kinds.length === 1 ? "kind" : "kinds"}, ${span}.${cut} ${searched}`;
  const rows = kinds
    .slice(0, MAX_KINDS)
    .map(
      ({ count, first, last }) =>
        `${count}× first ${formatTime(first.at)}, last ${formatTime(last.at)}\n    ${formatLine(last.text, 500)}`,
    );
  if (kinds.length > MAX_KINDS) rows.push(`(${kinds.length - MAX_KINDS} rarer kinds left out)`);
  return untrustedAnswer(words, rows.join("\n"), context);
}

interface Kind {
  count: number;
  first: LogLine;
  last: LogLine;
}

/** The kinds of errors in these lines. The most frequent kind comes first. */
function kindsOf(lines: readonly LogLine[]): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const line of lines) {
    const kind = kinds.get(kindOf(line.text)) ?? { count: 0, first: line, last: line };
    kind.count += 1;
    if (line.at < kind.first.at) kind.first = line;
    if (line.at > kind.last.at) kind.last = line;
    kinds.set(kindOf(line.text), kind);
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count);
}

/** Lines are of the same kind if they differ only in ids, times, addresses and numbers. */
const kindOf = (text: string): string =>
  text
    .slice(0, 2_000)
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b|\b0x[0-9a-f]+\b/gi, "#")
    .replace(/\b(?=[a-z]*\d)[0-9a-z]{12,}\b/gi, "#")
    .replace(/\d+/g, "#");
