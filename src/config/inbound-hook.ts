// What a message from another system starts: who sends it, how it proves that, and how it becomes a task.

import { z } from "zod";
import { AgentName } from "./names.ts";

const variable = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable");

export const SENDERS = ["json", "alertmanager", "grafana", "pagerduty", "github"] as const;
export type Sender = (typeof SENDERS)[number];

export const PROOFS = ["bearer", "standard", "hmac", "github", "grafana", "pagerduty", "slack"] as const;
export type Proof = (typeof PROOFS)[number];

/** The file contains only the name of the variable that holds the secret. There is no hook without a secret. */
export const InboundHook = z.strictObject({
  from: z
    .enum(SENDERS)
    .default("json")
    .describe("Who sends: it chooses the defaults of the other keys (json)"),
  agent: AgentName.describe("The agent that runs"),
  secretEnv: variable.describe(
    "The variable that holds the secret that the sender signs with, or its bearer token",
  ),
  verify: z
    .enum(PROOFS)
    .optional()
    .describe(
      "How the sender proves who it is (alertmanager: bearer; json: standard; others: their own signature)",
    ),
  task: z
    .string()
    .trim()
    .min(1)
    .max(10_000)
    .optional()
    .describe(
      "The task, with values of the message: `{{commonLabels.alertname}}`, or `{{action?}}` if it may be missing",
    ),
  session: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      "Messages for which this text is equal join one session (alertmanager, grafana: `{{groupKey}}`); empty: each starts a run of its own",
    ),
  filter: z
    .record(z.string().min(1).max(200), z.union([z.string(), z.array(z.string()).min(1)]))
    .optional()
    .describe("Only messages with these values: `{ status: firing, event: [issues, push] }`"),
  perMinute: z
    .int()
    .positive()
    .max(600)
    .default(60)
    .describe("Most messages in a minute; the sender must repeat the others (60)"),
  maxKilobytes: z.int().positive().max(8_192).default(1_024).describe("The largest message (1024)"),
});
export type InboundHook = z.output<typeof InboundHook>;
