// Sends a PromQL query to Prometheus. The result is the value of each series at one time.

import { z } from "zod";
import { refusal, textAnswer } from "./answers.ts";
import { failedAnswer, untrustedAnswer } from "./loki/log-lines.ts";
import { parseTime, TIME_FORMS } from "./loki/time-range.ts";
import {
  countText,
  formatInstant,
  formatSeries,
  type PrometheusAccess,
  queryPrometheus,
  Result,
  SOURCE,
  seriesOf,
  UNKNOWN_FORM,
} from "./prometheus/client.ts";
import { defineTool } from "./tool.ts";

const DEFAULT_LIMIT = 100;

export const prometheusQueryTool = (access: PrometheusAccess) =>
  defineTool({
    name: "prometheus_query",
    description:
      'Reads the current value of metrics from Prometheus with a PromQL query, e.g. sum by (job) (rate(http_requests_total{code=~"5.."}[5m])). Use prometheus_range for values over time.',
    input: z.strictObject({
      query: z.string().min(1).max(10_000).describe("PromQL"),
      time: z.string().max(100).optional().describe(`When: ${TIME_FORMS}. Now by default`),
      limit: z.int().min(1).max(1_000).optional().describe("How many series at most, 100 by default"),
    }),
    effect: "read",
    reaches: ["network"],
    hosts: ["Prometheus"],
    idle: !access.settings,

    async execute({ query, time, limit = DEFAULT_LIMIT }, context) {
      const when = parseTime("time", time || "now");
      if (!when.ok) return refusal(when.why);
      const parameters = { query, time: String(when.ms / 1_000) };
      const reply = await queryPrometheus(access, { path: "query", parameters, signal: context.signal });
      if (!reply.ok) return failedAnswer(reply, context, SOURCE);
      const found = Result.safeParse(reply.data);
      if (!found.success) return refusal(UNKNOWN_FORM);
      const series = seriesOf(found.data);
      const at = formatInstant(when.ms);
      if (series.length === 0)
        return textAnswer(
          `No series at ${at}. That is no proof that all is well: check the names of metrics and labels, or ask about another time.`,
        );
      return untrustedAnswer(
        `${countText(series, limit)}, at ${at}.`,
        formatSeries(series, limit),
        context,
        SOURCE,
      );
    },
  });
