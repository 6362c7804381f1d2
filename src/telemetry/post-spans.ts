// One attempt to hand spans to a receiver, over OTLP/HTTP with JSON.

import type { Otlp } from "../config/otlp.ts";
import { messageOf } from "../errors.ts";

/** What OTLP calls worth another attempt; everything else is refused for good. */
const LATER = new Set([408, 429, 502, 503, 504]);
const LONGEST_WORDS = 200;

/** Undefined: they were taken. Otherwise why they never will be. Throws where another attempt may help. */
export async function postSpans(otlp: Otlp, body: string, signal: AbortSignal): Promise<string | undefined> {
  const response = await fetch(otlp.url!, {
    method: "POST",
    headers: { ...otlp.headers, "content-type": "application/json", "user-agent": "Cadre" },
    body,
    // It would take the headers, and what they hold, to wherever it points.
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(otlp.timeoutMs)]),
  }).catch((error: unknown) => {
    throw new Error(`${otlp.url!.host}: ${reasonOf(error)}`);
  });
  const said = `${otlp.url!.host} answered ${response.status}`;
  const words = (await response.text().catch(() => ""))
    .slice(0, LONGEST_WORDS)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (response.ok) return undefined;
  if (LATER.has(response.status)) throw new Error(said);
  return words === "" ? said : `${said}: ${words}`;
}

/** `fetch failed` says nothing; what it failed of does. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
