// Sends a LogQL query to Loki. The result is log lines, or numbers over time.

import { z } from "zod";
import { refusal, textAnswer } from "./answers.ts";
import { type LokiAccess, queryLoki, UNKNOWN_FORM } from "./loki/client.ts";
import {
  failedAnswer,
  formatLabels,
  formatLines,
  type LogLine,
  logLines,
  Streams,
  untrustedAnswer,
} from "./loki/log-lines.ts";
import { formatRange, formatTime, parseTimeRange, type TimeRange, timeInput } from "./loki/time-range.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const DEFAULT_LIMIT = 100;

export const lokiQueryTool = (access: LokiAccess) =>
  defineTool({
    name: "loki_query",
    description:
      'Reads logs from Loki with a LogQL query, e.g. {service="api"} |= "timeout". Lines come oldest first; limit takes the newest (backward) or the oldest (forward) of the time range. Use loki_labels for the names and values that exist.',
    input: z.strictObject({
      query: z.string().min(1).max(10_000).describe('LogQL: {app="api"} |= "error" != "health"'),
      ...timeInput,
      limit: z.int().min(1).max(5_000).optional().describe("How many lines at most, 100 by default"),
      direction: z
        .enum(["backward", "forward"])
        .optional()
        .describe("Which lines when there are more than limit"),
    }),
    effect: "read",
    reaches: ["network"],
    hosts: ["Loki"],
    idle: !access.settings,

    async execute({ query, start, end, limit = DEFAULT_LIMIT, direction = "backward" }, context) {
      const when = parseTimeRange({ start: start || undefined, end: end || undefined });
      if (!when.ok) return refusal(when.why);
      const { range } = when;
      const parameters = {
        query,
        start: String(range.start),
        end: String(range.end),
        limit: String(limit),
        direction,
      };
      const reply = await queryLoki(access, { path: "query_range", parameters, signal: context.signal });
      if (!reply.ok) return failedAnswer(reply, context);
      const streams = Streams.safeParse(reply.data);
      if (!streams.success) return numbersAnswer(reply.data, range, context);
      const lines = logLines(streams.data);
      if (lines.length === 0) return textAnswer(nothingFound(range));
      const rest = lines.length < limit ? "" : ` ${moreText(lines, direction)}`;
      return untrustedAnswer(
        `${lines.length} ${lines.length === 1 ? "line" : "lines"}, ${formatRange(range)}.${rest}`,
        formatLines(lines),
        context,
      );
    },
  });

const nothingFound = (range: TimeRange): string =>
  `No lines, ${formatRange(range)}. That is no proof that all is well: check the label names and values with loki_labels, drop a filter, or ask about a longer time.`;

/** Tells the model how to get the missing lines in a second call, without a gap between the two calls. */
function moreText(lines: readonly LogLine[], direction: "backward" | "forward"): string {
  const further =
    direction === "backward"
      ? `end: "${formatTime(lines[0]!.at)}" for older ones`
      : `start: "${formatTime(lines.at(-1)!.at)}" for newer ones`;
  return `That is the limit, so there may be more: narrow the query, or ask again with ${further}.`;
}

const Matrix = z.object({
  resultType: z.literal("matrix"),
  result: z.array(
    z.object({
      metric: z.record(z.string(), z.string()),
      values: z.array(z.tuple([z.number(), z.string()])),
    }),
  ),
});

/** Answers `count_over_time` and other metric queries. */
function numbersAnswer(data: unknown, range: TimeRange, context: ToolContext) {
  const matrix = Matrix.safeParse(data);
  if (!matrix.success) return refusal(UNKNOWN_FORM);
  const { result } = matrix.data;
  if (result.length === 0) return textAnswer(nothingFound(range));
  const text = result.map(({ metric, values }) =>
    [
      formatLabels(metric),
      ...values.map(([at, value]) => `  ${new Date(at * 1000).toISOString()} ${value}`),
    ].join("\n"),
  );
  return untrustedAnswer(`${result.length} series, ${formatRange(range)}.`, text.join("\n"), context);
}
