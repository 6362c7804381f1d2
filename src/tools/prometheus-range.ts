// Sends a PromQL query over a time range to Prometheus. The result is values over time.

import { z } from "zod";
import { formatDuration, parseDuration } from "../config/duration.ts";
import { refusal, textAnswer } from "./answers.ts";
import { failedAnswer, untrustedAnswer } from "./loki/log-lines.ts";
import { formatRange, parseTimeRange, timeInput } from "./loki/time-range.ts";
import {
  countText,
  formatSeries,
  type PrometheusAccess,
  queryPrometheus,
  Result,
  SOURCE,
  seriesOf,
  UNKNOWN_FORM,
} from "./prometheus/client.ts";
import { defineTool } from "./tool.ts";

const DEFAULT_LIMIT = 20;
/** Points of each series, unless the model chooses a step. */
const USUAL_POINTS = 60;
/** Prometheus itself refuses more. */
const MOST_POINTS = 11_000;
const SECOND = 1_000_000_000n;

export const prometheusRangeTool = (access: PrometheusAccess) =>
  defineTool({
    name: "prometheus_range",
    description:
      "Reads metrics over time from Prometheus with a PromQL query, e.g. rate(http_requests_total[5m]). Without step, each series has about 60 values.",
    input: z.strictObject({
      query: z.string().min(1).max(10_000).describe("PromQL"),
      ...timeInput,
      step: z.string().max(20).optional().describe('Time between two values: "30s", "5m"'),
      limit: z.int().min(1).max(200).optional().describe("How many series at most, 20 by default"),
    }),
    effect: "read",
    reaches: ["network"],
    hosts: ["Prometheus"],
    idle: !access.settings,

    async execute({ query, start, end, step, limit = DEFAULT_LIMIT }, context) {
      const when = parseTimeRange({ start: start || undefined, end: end || undefined });
      if (!when.ok) return refusal(when.why);
      const { range } = when;
      const seconds = Math.max(1, Math.ceil(Number((range.end - range.start) / SECOND)));
      const every = step ? Math.ceil((parseDuration(step) ?? 0) / 1_000) : Math.ceil(seconds / USUAL_POINTS);
      if (every < 1) return refusal(`step: "${step}" is no time: write "30s" or "5m".`);
      if (seconds / every > MOST_POINTS)
        return refusal(
          `step: a value every ${formatDuration(every * 1_000)} is too often for this time range, which allows ${formatDuration(Math.ceil(seconds / MOST_POINTS) * 1_000)} or more.`,
        );
      const parameters = {
        query,
        start: secondsOf(range.start),
        end: secondsOf(range.end),
        step: String(every),
      };
      const reply = await queryPrometheus(access, {
        path: "query_range",
        parameters,
        signal: context.signal,
      });
      if (!reply.ok) return failedAnswer(reply, context, SOURCE);
      const found = Result.safeParse(reply.data);
      if (!found.success) return refusal(UNKNOWN_FORM);
      const series = seriesOf(found.data);
      const span = `${formatRange(range)}, every ${formatDuration(every * 1_000)}`;
      if (series.length === 0)
        return textAnswer(
          `No series, ${span}. That is no proof that all is well: check the names of metrics and labels, or ask about a longer time.`,
        );
      return untrustedAnswer(
        `${countText(series, limit)}, ${span}.`,
        formatSeries(series, limit),
        context,
        SOURCE,
      );
    },
  });

/** Seconds since 1970, with milliseconds. */
const secondsOf = (ns: bigint): string => String(Number(ns / 1_000_000n) / 1_000);
