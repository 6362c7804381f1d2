// Formats a notice for sending, as plain JSON or in the format of Slack or ntfy.
// The message is signed as Standard Webhooks requires, so that receivers can verify it with an existing library.
//  WH3  The signature covers the id, the time and the body, so that receivers notice if a message was changed or is replayed later.

import { createHmac } from "node:crypto";
import type { Webhook, WebhookEvent } from "../config/schema.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import type { Notice } from "./notice.ts";

export interface Outgoing {
  headers: Record<string, string>;
  body: string;
}

export interface Sender {
  form: Webhook["form"];
  secret: string | undefined;
  token: string | undefined;
  /** URL of the dashboard. */
  base: string;
}

/** Builds the message of one attempt. `now` is the time of this attempt, in milliseconds. */
export function messageOf(notice: Notice, id: string, now: number, sender: Sender): Outgoing {
  const { form, secret, token } = sender;
  const { type, body, headers } = FORMS[form](notice, sender.base);
  const timestamp = Math.floor(now / 1_000);
  return {
    body,
    headers: {
      "content-type": type,
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      ...(secret === undefined
        ? {}
        : { "webhook-signature": signatureOf(secret, `${id}.${timestamp}.${body}`) }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  };
}

/** Signs the text. A secret that begins with `whsec_` is base64, as in Standard Webhooks. Any other secret is used unchanged. */
export function signatureOf(secret: string, signed: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

interface Formed {
  type: string;
  body: string;
  headers: Record<string, string>;
}

const FORMS: Record<Webhook["form"], (notice: Notice, base: string) => Formed> = {
  json: ({ event, run, at }, base) => {
    const { id, agent, task, status, stopReason, summary, userId, sessionId, usage, waitingOn } = run;
    const data = {
      run: { id, agent, task, status, stopReason, summary, userId, sessionId, cost: usage.cost },
      ...(event === "needs-you" ? { waitingFor: waitingOn?.kind } : {}),
      link: linkTo(run, event, base),
    };
    const body = JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data });
    return { type: "application/json", body, headers: {} };
  },
  slack: (notice, base) => {
    const { event, run } = notice;
    const text = `*${escapeSlack(titleOf(notice))}*\n${escapeSlack(bodyText(run, event))}\n${linkTo(run, event, base)}`;
    return { type: "application/json", body: JSON.stringify({ text }), headers: {} };
  },
  ntfy: (notice, base) => {
    const { event, run } = notice;
    return {
      type: "text/plain; charset=utf-8",
      body: bodyText(run, event),
      headers: {
        title: ascii(titleOf(notice)),
        priority: event === "needs-you" ? "high" : "default",
        tags: TAGS[event],
        click: linkTo(run, event, base),
      },
    };
  },
};

const TITLES: Record<WebhookEvent, string> = {
  "needs-you": "needs you",
  done: "is done",
  failed: "has failed",
};
const TAGS: Record<WebhookEvent, string> = {
  "needs-you": "raised_hand",
  done: "white_check_mark",
  failed: "x",
};
const titleOf = ({ event, run }: Notice): string => `${run.agent} ${TITLES[event]}`;

const MAX_TEXT = 500;

/** Returns the run's summary. While the run waits for a person, returns its task instead. */
function bodyText({ task, summary }: RunRow, event: WebhookEvent): string {
  const text = (event === "needs-you" ? undefined : summary) ?? task;
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}

/** Returns the link of a notice. An open item of the root gets its own link. For a child's item the link leads to the whole inbox. */
function linkTo({ id, waitingOn }: RunRow, event: WebhookEvent, base: string): string {
  const [item] = waitingOn?.kind === "child_hitl" ? [] : (waitingOn?.items ?? []);
  if (event !== "needs-you") return `${base}/r/${id}`;
  return item === undefined ? `${base}/inbox` : `${base}/inbox?item=${encodeURIComponent(`${id}:${item}`)}`;
}

/** Escapes an agent's text, so that Slack does not treat parts of it as mentions or links. */
const escapeSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Replaces all characters that are not ASCII, because HTTP headers allow only ASCII. */
const ascii = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?");
