// Sends one query to a server that a person configured, such as Loki or Prometheus, and only to its origin. Redirects are not followed,
// and secrets come from the environment. The model's text is used only in query parameters.
// Every failure is reported in a sentence that says what to do next.

import type { z } from "zod";
import type { QueryServer } from "../../config/schema.ts";
import type { Env } from "../../config/trust.ts";
import { fetchErrorCode, readBoundedText, urlBelow } from "./http-response.ts";

/** `settings` is undefined if the project has not configured the server. */
export interface ServerAccess {
  settings: z.output<typeof QueryServer> | undefined;
  env: Env;
}

export interface ServerFacts {
  /** Its name in sentences. */
  name: string;
  /** Its key in cadre.yaml. */
  key: string;
  /** The path of its API, below the configured address. */
  api: string;
  /** The things that the server has, and that cannot be read without it. */
  things: string;
}

export interface ServerQuery {
  /** Path below the API's path, such as `labels`. Never text from the model. */
  path: string;
  parameters: Record<string, string>;
  signal: AbortSignal;
}

/** `serverText` comes from the server, so it is untrusted. */
export type ServerReply = { ok: true; data: unknown } | { ok: false; why: string; serverText?: string };

const DEFAULT_TIMEOUT = 30_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** The error for a response of an unexpected shape. */
export const unknownForm = ({ name }: ServerFacts): string =>
  `${name} answered in a form that is not known here; nothing can be shown.`;

const notConfigured = ({ name, key, things }: ServerFacts): string =>
  `${name} is not configured for this project, so there are no ${things} to read. A person sets \`${key}: { url: http://… }\` in cadre.yaml ` +
  `(and trusts the folder with \`cadre trust\`). Go on without ${things}, and say in your answer that you could not read them.`;

export async function queryServer(
  server: ServerFacts,
  { settings, env }: ServerAccess,
  question: ServerQuery,
): Promise<ServerReply> {
  if (!settings) return { ok: false, why: notConfigured(server) };
  const headers = headersFor(server, settings, env);
  if (!headers.ok) return headers;
  const { name, api } = server;
  const { timeout = DEFAULT_TIMEOUT } = settings;
  const late = AbortSignal.timeout(timeout);
  const { origin } = new URL(settings.url);
  try {
    const response = await fetch(urlBelow(new URL(settings.url), api + question.path, question.parameters), {
      headers: headers.values,
      redirect: "manual",
      signal: AbortSignal.any([question.signal, late]),
    });
    return await replyOf(response, origin, server);
  } catch (error) {
    if (question.signal.aborted) return { ok: false, why: `Cancelled before ${name} answered.` };
    if (late.aborted) {
      const why = `${name} at ${origin} did not answer within ${timeout / 1000} s. Ask about a shorter time, or with a narrower selector.`;
      return { ok: false, why };
    }
    return {
      ok: false,
      why: `${name} at ${origin} cannot be reached (${fetchErrorCode(error)}). Nothing was read.`,
    };
  }
}

type Headers = { ok: true; values: Record<string, string> } | { ok: false; why: string };

function headersFor(
  { name: server }: ServerFacts,
  { tenantEnv, tokenEnv }: NonNullable<ServerAccess["settings"]>,
  env: Env,
): Headers {
  // Compressed responses are refused: a small body could decompress to a huge one (A44).
  const values: Record<string, string> = { Accept: "application/json", "Accept-Encoding": "identity" };
  for (const [variable, name, before] of [
    [tenantEnv, "X-Scope-OrgID", ""],
    [tokenEnv, "Authorization", "Bearer "],
  ] as const) {
    if (variable === undefined) continue;
    const secret = env[variable];
    if (!secret) return { ok: false, why: missingSecretText(server, variable) };
    values[name] = before + secret;
  }
  return { ok: true, values };
}

const missingSecretText = (name: string, variable: string): string =>
  `cadre.yaml takes a secret for ${name} from the variable ${variable}, which is not set. Nothing was asked; a person must set it and start Cadre again.`;

async function replyOf(response: Response, origin: string, server: ServerFacts): Promise<ServerReply> {
  const { name, key } = server;
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    const why = `${name} at ${origin} answered with a redirect (${status}), which is not followed. A person must set the final address as ${key}.url.`;
    return { ok: false, why };
  }
  const text = await readBoundedText(response, MAX_BYTES);
  if (text === undefined) {
    const why = `${name}'s answer was larger than ${MAX_BYTES / 1024 / 1024} MB and was dropped. Lower the limit, or ask about a shorter time.`;
    return { ok: false, why };
  }
  if (status !== 200)
    return { ok: false, why: refusalOf(status, origin, server), serverText: text.trim().slice(0, 2_000) };
  return dataOf(text, origin, server);
}

function refusalOf(status: number, origin: string, { name, key }: ServerFacts): string {
  if (status === 400 || status === 422) return `${name} did not accept the query. Mend it and ask again.`;
  if (status === 401 || status === 403)
    return `${name} at ${origin} does not let us in (${status}). A person must look at ${key}.tokenEnv and ${key}.tenantEnv in cadre.yaml.`;
  if (status === 404)
    return `There is no ${name} at this address (404 from ${origin}). A person must look at ${key}.url in cadre.yaml.`;
  if (status === 429) return `${name} has too much to do (429). Ask about a shorter time, or later.`;
  return `${name} at ${origin} failed (${status}). A shorter time or a narrower selector may work.`;
}

function dataOf(text: string, origin: string, { name, key }: ServerFacts): ServerReply {
  try {
    const body = JSON.parse(text) as { status?: unknown; data?: unknown } | null;
    if (body?.status === "success") return { ok: true, data: body.data };
  } catch {
    // The answer is not JSON, so it is not from this kind of server. The lines below report that.
  }
  const why = `What answers at ${origin} is not ${name}. A person must look at ${key}.url in cadre.yaml.`;
  return { ok: false, why, serverText: text.slice(0, 200) };
}
