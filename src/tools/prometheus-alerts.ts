// Lists the alerts that Prometheus has active: pending and firing.

import { z } from "zod";
import { refusal, textAnswer } from "./answers.ts";
import { failedAnswer, formatLabels, formatLine, untrustedAnswer } from "./loki/log-lines.ts";
import { type PrometheusAccess, queryPrometheus, SOURCE, UNKNOWN_FORM } from "./prometheus/client.ts";
import { defineTool } from "./tool.ts";

const MOST_ALERTS = 200;

const Text = z.record(z.string(), z.string());

const Alerts = z.object({
  alerts: z.array(
    z.object({
      labels: Text,
      annotations: Text.default({}),
      state: z.string(),
      activeAt: z.string().optional(),
      value: z.string().optional(),
    }),
  ),
});
type Alert = z.output<typeof Alerts>["alerts"][number];

export const prometheusAlertsTool = (access: PrometheusAccess) =>
  defineTool({
    name: "prometheus_alerts",
    description:
      "Lists the alerts that are pending or firing in Prometheus, with their labels, values and the time since when they are active.",
    input: z.strictObject({
      state: z.enum(["firing", "pending"]).optional().describe("Only alerts in this state"),
    }),
    effect: "read",
    reaches: ["network"],
    hosts: ["Prometheus"],
    idle: !access.settings,

    async execute({ state }, context) {
      const reply = await queryPrometheus(access, { path: "alerts", parameters: {}, signal: context.signal });
      if (!reply.ok) return failedAnswer(reply, context, SOURCE);
      const found = Alerts.safeParse(reply.data);
      if (!found.success) return refusal(UNKNOWN_FORM);
      const alerts = found.data.alerts.filter((alert) => state === undefined || alert.state === state);
      const what = `${alerts.length} ${state ?? "active"} ${alerts.length === 1 ? "alert" : "alerts"}`;
      if (alerts.length === 0)
        return textAnswer(`No ${state ?? "active"} alerts. Only what a rule watches raises one.`);
      const left = alerts.length > MOST_ALERTS ? `, of which ${MOST_ALERTS} are shown` : "";
      const text = alerts.slice(0, MOST_ALERTS).map(formatAlert).join("\n");
      return untrustedAnswer(`${what}${left}.`, text, context, SOURCE);
    },
  });

function formatAlert({ labels, annotations, state, activeAt = "an unknown time", value }: Alert): string {
  const notes = Object.entries(annotations).map(([name, text]) => `  ${formatLine(`${name}: ${text}`, 500)}`);
  const current = value === undefined ? "" : `, value ${value}`;
  return [formatLine(`${state} since ${activeAt}${current} ${formatLabels(labels)}`), ...notes].join("\n");
}
