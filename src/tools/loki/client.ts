// Sends one query to Loki over HTTP, only to the configured origin. Redirects are not followed, and secrets come from the environment.
// The model's text is used only in query parameters. Every failure is reported in a sentence that says what to do next.

import type { z } from "zod";
import type { Loki } from "../../config/schema.ts";
import type { Env } from "../../config/trust.ts";
import { fetchErrorCode, readBoundedText, urlBelow } from "../web/http-response.ts";

export type LokiSettings = z.output<typeof Loki>;

/** `settings` is undefined if the project has not configured Loki. */
export interface LokiAccess {
  settings: LokiSettings | undefined;
  env: Env;
}

export interface LokiRequest {
  /** Path below the base address, such as `labels`. Never text from the model. */
  path: string;
  parameters: Record<string, string>;
  signal: AbortSignal;
}

/** `serverText` comes from the server, so it is untrusted. */
export type LokiReply = { ok: true; data: unknown } | { ok: false; why: string; serverText?: string };

const DEFAULT_TIMEOUT = 30_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** The error for a response of an unexpected shape. */
export const UNKNOWN_FORM = "Loki answered in a form that is not known here; nothing can be shown.";

const NOT_CONFIGURED =
  "Loki is not configured for this project, so there are no logs to read. A person sets `loki: { url: http://… }` in cadre.yaml " +
  "(and trusts the folder with `cadre trust`). Go on without logs, and say in your answer that you could not read them.";

export async function queryLoki({ settings, env }: LokiAccess, question: LokiRequest): Promise<LokiReply> {
  if (!settings) return { ok: false, why: NOT_CONFIGURED };
  const headers = headersFor(settings, env);
  if (!headers.ok) return headers;
  const { timeout = DEFAULT_TIMEOUT } = settings;
  const late = AbortSignal.timeout(timeout);
  const { origin } = new URL(settings.url);
  try {
    const response = await fetch(
      urlBelow(new URL(settings.url), `loki/api/v1/${question.path}`, question.parameters),
      {
        headers: headers.values,
        redirect: "manual",
        signal: AbortSignal.any([question.signal, late]),
      },
    );
    return await replyOf(response, origin);
  } catch (error) {
    if (question.signal.aborted) return { ok: false, why: "Cancelled before Loki answered." };
    if (late.aborted) {
      const why = `Loki at ${origin} did not answer within ${timeout / 1000} s. Ask about a shorter time, or with a narrower selector.`;
      return { ok: false, why };
    }
    return {
      ok: false,
      why: `Loki at ${origin} cannot be reached (${fetchErrorCode(error)}). Nothing was read.`,
    };
  }
}

type Headers = { ok: true; values: Record<string, string> } | { ok: false; why: string };

function headersFor({ tenantEnv, tokenEnv }: LokiSettings, env: Env): Headers {
  // Compressed responses are refused: a small body could decompress to a huge one (A44).
  const values: Record<string, string> = { Accept: "application/json", "Accept-Encoding": "identity" };
  for (const [variable, name, before] of [
    [tenantEnv, "X-Scope-OrgID", ""],
    [tokenEnv, "Authorization", "Bearer "],
  ] as const) {
    if (variable === undefined) continue;
    const secret = env[variable];
    if (!secret) return { ok: false, why: missingSecretText(variable) };
    values[name] = before + secret;
  }
  return { ok: true, values };
}

const missingSecretText = (variable: string): string =>
  `cadre.yaml takes a secret for Loki from the variable ${variable}, which is not set. Nothing was asked; a person must set it and start Cadre again.`;

async function replyOf(response: Response, origin: string): Promise<LokiReply> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    const why = `Loki at ${origin} answered with a redirect (${status}), which is not followed. A person must set the final address as loki.url.`;
    return { ok: false, why };
  }
  const text = await readBoundedText(response, MAX_BYTES);
  if (text === undefined) {
    const why = `Loki's answer was larger than ${MAX_BYTES / 1024 / 1024} MB and was dropped. Lower the limit, or ask about a shorter time.`;
    return { ok: false, why };
  }
  if (status !== 200)
    return { ok: false, why: refusalOf(status, origin), serverText: text.trim().slice(0, 2_000) };
  return dataOf(text, origin);
}

function refusalOf(status: number, origin: string): string {
  if (status === 400 || status === 422) return "Loki did not accept the query. Mend it and ask again.";
  if (status === 401 || status === 403)
    return `Loki at ${origin} does not let us in (${status}). A person must look at loki.tokenEnv and loki.tenantEnv in cadre.yaml.`;
  if (status === 404)
    return `There is no Loki at this address (404 from ${origin}). A person must look at loki.url in cadre.yaml.`;
  if (status === 429) return "Loki has too much to do (429). Ask about a shorter time, or later.";
  return `Loki at ${origin} failed (${status}). A shorter time or a narrower selector may work.`;
}

function dataOf(text: string, origin: string): LokiReply {
  try {
    const body = JSON.parse(text) as { status?: unknown; data?: unknown } | null;
    if (body?.status === "success") return { ok: true, data: body.data };
  } catch {
    // The answer is not JSON, so it is not from Loki. The lines below report that.
  }
  const why = `What answers at ${origin} is not Loki. A person must look at loki.url in cadre.yaml.`;
  return { ok: false, why, serverText: text.slice(0, 200) };
}
