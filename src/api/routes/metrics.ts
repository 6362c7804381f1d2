// Serves metrics in Prometheus' text format. They are computed from the rows of the runs, so they survive restarts.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { z } from "zod";
import { RUN_STATUSES } from "../../journal/events.ts";
import type { StoreTotals } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";

export function metricsRoutes({ store }: ApiParts) {
  const lag = eventLoopLag();
  return [
    route.get(
      "/metrics",
      {
        summary: "Metrics in Prometheus' text format",
        answer: z.string(),
        media: ["text/plain"],
        role: "admin",
      },
      async () => {
        const text = metricsText(await store.usage.totals(), await store.journal.position(), lag());
        return new Response(text, {
          headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" },
        });
      },
    ),
  ];
}

export function metricsText(totals: StoreTotals, position: number, lagSeconds: number): string {
  const { runs, approvals, modelCalls, toolCalls, input, output, cost, bytes } = totals;
  const lines = [
    ...metric("cadre_runs", "gauge", "Runs by status.", Object.fromEntries(RUN_STATUSES.map(statusCount))),
    ...metric("cadre_approvals_open", "gauge", "Items that wait for a person.", approvals),
    ...metric("cadre_model_calls_total", "counter", "Model calls.", modelCalls),
    ...metric("cadre_tokens_total", "counter", "Tokens by direction.", {
      'direction="input"': input,
      'direction="output"': output,
    }),
    ...metric("cadre_cost_dollars_total", "counter", "Cost of the calls with a known price.", cost),
    ...metric("cadre_tool_calls_total", "counter", "Tool calls.", toolCalls),
    ...metric("cadre_event_position", "counter", "Position of the latest event.", position),
    ...metric("cadre_store_bytes", "gauge", "Size of the store.", bytes),
    ...metric(
      "cadre_event_loop_lag_seconds",
      "gauge",
      "The longest delay since the last request.",
      lagSeconds,
    ),
  ];
  return `${lines.join("\n")}\n`;

  function statusCount(status: (typeof RUN_STATUSES)[number]): [string, number] {
    return [`status="${status}"`, runs[status] ?? 0];
  }
}

function metric(name: string, type: string, help: string, value: number | Record<string, number>): string[] {
  const values = typeof value === "number" ? [`${name} ${value}`] : labelledLines(name, value);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...values];
}

const labelledLines = (name: string, values: Record<string, number>): string[] =>
  Object.entries(values).map(([label, value]) => `${name}{${label}} ${value}`);

/** Measures the event loop's lag from the first request on. A process whose metrics are never read needs no timer. */
function eventLoopLag(): () => number {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return () => {
    if (!histogram) {
      histogram = monitorEventLoopDelay({ resolution: 20 });
      histogram.enable();
      return 0;
    }
    const longest = histogram.max / 1e9;
    histogram.reset();
    return Math.max(0, longest);
  };
}
