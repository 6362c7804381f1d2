// What Cadre knows about each sender: how it proves who it is, what its messages are about, and which of them belong together.

import { createHash } from "node:crypto";
import type { Proof, Sender } from "../../config/inbound-hook.ts";
import type { SignedMessage } from "./verify.ts";

export interface SenderFacts {
  verify: Proof;
  task: string;
  /** Messages with the same text join one session. Empty: each message starts a run of its own. */
  session: string;
  /** Adds facts from headers to the message. */
  read?(body: unknown, header: SignedMessage["header"]): unknown;
  /** What makes two messages the same although their bytes differ. Undefined: their bytes. */
  sameness?(body: unknown): string | undefined;
}

interface AlertGroup {
  groupKey?: unknown;
  status?: unknown;
  alerts?: readonly { fingerprint?: unknown; startsAt?: unknown; status?: unknown }[];
}

/** A reminder about the same alerts is the same message, although its times differ. */
function sameAlerts(body: unknown): string | undefined {
  const { groupKey, status, alerts } = (body ?? {}) as AlertGroup;
  if (typeof groupKey !== "string" || !Array.isArray(alerts)) return undefined;
  const each = (alerts as NonNullable<AlertGroup["alerts"]>).map((alert) =>
    JSON.stringify([alert?.fingerprint ?? null, alert?.startsAt ?? null, alert?.status ?? null]),
  );
  return JSON.stringify([groupKey, status ?? null, each.sort()]);
}

export const SENDER_FACTS: Record<Sender, SenderFacts> = {
  json: { verify: "standard", task: "A message came in. Decide what it asks for, and do it.", session: "" },
  alertmanager: {
    verify: "bearer",
    task: "Alertmanager says {{status}}: {{commonLabels.alertname?}} {{commonAnnotations.summary?}}. Find the cause, and say what should be done.",
    session: "{{groupKey}}",
    sameness: sameAlerts,
  },
  grafana: {
    verify: "grafana",
    task: "Grafana says {{status}}: {{title?}}. Find the cause, and say what should be done.",
    session: "{{groupKey}}",
    sameness: sameAlerts,
  },
  pagerduty: {
    verify: "pagerduty",
    task: "PagerDuty reports {{event.event_type}}: {{event.data.title?}}. Find the cause, and say what should be done.",
    session: "{{event.data.id?}}",
  },
  github: {
    verify: "github",
    task: "GitHub reports {{event}} {{action?}} in {{repository.full_name?}}. Decide what it asks for, and do it.",
    session: "",
    read: (body, header) =>
      typeof body === "object" && body !== null ? { ...body, event: header("x-github-event") ?? "" } : body,
  },
};

export const hashOf = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 40);
