// Makes one attempt to send spans to a receiver, over OTLP/HTTP with JSON.

import type { Otlp } from "../config/otlp.ts";
import { messageOf } from "../errors.ts";

/** Statuses after which OTLP allows a retry. All other failures are final. */
const RETRYABLE = new Set([408, 429, 502, 503, 504]);
const MAX_DETAIL = 200;

/** Returns undefined on success, or the reason for a refusal that a retry cannot change. Throws if a retry might help. */
export async function postSpans(otlp: Otlp, body: string, signal: AbortSignal): Promise<string | undefined> {
  const response = await fetch(otlp.url!, {
    method: "POST",
    headers: { ...otlp.headers, "content-type": "application/json", "user-agent": "Cadre" },
    body,
    // Following a redirect would send the headers and their secrets to another host.
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(otlp.timeoutMs)]),
  }).catch((error: unknown) => {
    throw new Error(`${otlp.url!.host}: ${reasonOf(error)}`);
  });
  const status = `${otlp.url!.host} answered ${response.status}`;
  const detail = (await response.text().catch(() => "")).slice(0, MAX_DETAIL).replaceAll(/\s+/g, " ").trim();
  if (response.ok) return undefined;
  if (RETRYABLE.has(response.status)) throw new Error(status);
  return detail === "" ? status : `${status}: ${detail}`;
}

/** Returns the message of the error's cause, because fetch itself only says "fetch failed". */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
