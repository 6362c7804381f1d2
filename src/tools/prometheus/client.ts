// Queries Prometheus, or a server with the same API such as Mimir or Thanos, and formats its numbers for the model.
// Names, labels and values are untrusted, because anyone who can make a service export a metric can write to them.

import { z } from "zod";
import { revealHidden } from "../../journal/visible.ts";
import { formatLabels } from "../loki/log-lines.ts";
import {
  queryServer,
  type ServerAccess,
  type ServerFacts,
  type ServerQuery,
  type ServerReply,
  unknownForm,
} from "../web/query-server.ts";

export type PrometheusAccess = ServerAccess;

const PROMETHEUS: ServerFacts = { name: "Prometheus", key: "prometheus", api: "api/v1/", things: "metrics" };

/** The source of untrusted text in answers. */
export const SOURCE = "prometheus";
export const UNKNOWN_FORM = unknownForm(PROMETHEUS);

export const queryPrometheus = (access: PrometheusAccess, question: ServerQuery): Promise<ServerReply> =>
  queryServer(PROMETHEUS, access, question);

const Labels = z.record(z.string(), z.string());
const Sample = z.tuple([z.number(), z.string()]);
/** A native histogram has many buckets. Only its count and its sum are shown. */
const Histogram = z.tuple([z.number(), z.object({ count: z.string(), sum: z.string() })]);

/** The result of a query: one number, a number for each series, or numbers over time. */
export const Result = z.discriminatedUnion("resultType", [
  z.object({ resultType: z.enum(["scalar", "string"]), result: Sample }),
  z.object({
    resultType: z.literal("vector"),
    result: z.array(z.object({ metric: Labels, value: Sample.optional(), histogram: Histogram.optional() })),
  }),
  z.object({
    resultType: z.literal("matrix"),
    result: z.array(
      z.object({
        metric: Labels,
        values: z.array(Sample).default([]),
        histograms: z.array(Histogram).default([]),
      }),
    ),
  }),
]);

export interface Series {
  name: string;
  points: { at: number; value: string }[];
}

export function seriesOf(found: z.output<typeof Result>): Series[] {
  if (found.resultType === "vector")
    return found.result.map(({ metric, value, histogram }) => ({
      name: formatMetric(metric),
      points: [...(value ? [pointOf(value)] : []), ...(histogram ? [histogramPoint(histogram)] : [])],
    }));
  if (found.resultType === "matrix")
    return found.result.map(({ metric, values, histograms }) => ({
      name: formatMetric(metric),
      points: [...values.map(pointOf), ...histograms.map(histogramPoint)],
    }));
  return [{ name: found.resultType, points: [pointOf(found.result)] }];
}

const pointOf = ([at, value]: z.output<typeof Sample>) => ({
  at: at * 1_000,
  value: revealHidden(value).replaceAll("\n", "⟦U+000A⟧"),
});

const histogramPoint = ([at, { count, sum }]: z.output<typeof Histogram>) => ({
  at: at * 1_000,
  value: `histogram of ${count} values, sum ${sum}`,
});

/** As Prometheus writes it: `up{job="api"}`. */
function formatMetric({ __name__: name = "", ...labels }: Readonly<Record<string, string>>): string {
  return `${revealHidden(name)}${formatLabels(labels)}`;
}

/** At most `most` series are shown, each with its values below it. */
export function formatSeries(series: readonly Series[], most: number): string {
  return series
    .slice(0, most)
    .map(({ name, points }) => {
      if (points.length === 1) return `${name} ${points[0]!.value}`;
      return [name, ...points.map(({ at, value }) => `  ${formatInstant(at)} ${value}`)].join("\n");
    })
    .join("\n");
}

export const formatInstant = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

/** Says how many series there are, and that some are left out. */
export function countText(series: readonly Series[], most: number): string {
  const count = `${series.length} series`;
  return series.length <= most
    ? count
    : `${count}, of which the first ${most} are shown: narrow the query, use topk or sum by, or raise limit`;
}
