// Describes a failed call in one sentence: the provider, the failure, the status and the provider's own message. The
// sentence has a limited length and contains no keys.

import { APICallError } from "@ai-sdk/provider";
import { describeSystemError, messageOf } from "../errors.ts";
import type { Failure } from "./model.ts";

const LIMIT = 500;

/** The environment variable that holds the key sent to a URL, if there is one. */
export type KeyVariableOf = (url: string) => string | undefined;

export function messageFor(cause: Failure["cause"], error: unknown, keyVariableOf: KeyVariableOf): string {
  const status = statusOf(error);
  const who = hostOf(error) ?? "the provider";
  const code = status === undefined || status < 400 ? "" : ` (${status})`;
  const words = cause === "network" ? networkWords(error) : wordsOf(error);
  // A 401 may repeat the key in a form that no pattern recognises, so the provider's message is left out.
  if (cause === "auth" && status === 401) {
    const variable = APICallError.isInstance(error) ? keyVariableOf(error.url) : undefined;
    const [which, where] = variable === undefined ? ["", ""] : [` in ${variable}`, " there"];
    return `${clean(who)} refused the API key (401): the key${which} is wrong or expired, set a valid one${where} and try again`;
  }
  return clean(sentence(cause, { who, code, words }));
}

function sentence(
  cause: Failure["cause"],
  { who, code, words }: Record<"who" | "code" | "words", string>,
): string {
  switch (cause) {
    case "rate_limit":
      return `${who} asks to slow down${code}: ${words}`;
    case "overloaded":
      return `${who} is overloaded or out of order${code}: ${words}`;
    case "network":
      return `the connection to ${who} failed: ${words}`;
    case "timeout":
      return `${who} did not answer in time${code}: ${words}`;
    case "truncated":
      return `the answer of ${who} broke off: ${words}`;
    case "auth":
      return `${who} does not permit this to the API key${code}: ${words}`;
    default:
      return `${who} rejected the request${code}: ${words}`;
  }
}

export function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { statusCode, status, code } = error as Record<string, unknown>;
  return [statusCode, status, code].find((value): value is number => Number.isInteger(value));
}

function hostOf(error: unknown): string | undefined {
  if (!APICallError.isInstance(error) || !URL.canParse(error.url)) return undefined;
  const { host, protocol } = new URL(error.url);
  return protocol === "scripted:" ? `the script "${decodeURIComponent(host)}"` : host;
}

function wordsOf(error: unknown): string {
  if (typeof error === "string") return error;
  const message = (error as { message?: unknown } | null)?.message;
  if (APICallError.isInstance(error) && error.data === undefined && error.responseBody) {
    // The package could not parse the body, so its message is only "Bad Request". The body says why.
    const body = error.responseBody.trimStart();
    if (!body.startsWith("<")) return `${error.message}: ${body.slice(0, LIMIT)}`;
  }
  return typeof message === "string" && message.trim() !== "" ? message : "no reason given";
}

/** Describes the socket error. The packages' own messages repeat it. */
function networkWords(error: unknown): string {
  const why = describeSystemError(error);
  return why === messageOf(error) ? wordsOf(error).replace(/^Cannot connect to API: /, "") : why;
}

const SECRETS =
  /\b(?:sk|pk|rk|gsk|xai|key|api)[-_](?=\S*[\d*])[\w*.-]{6,}|\bAIza[\w-]{10,}|\bBearer\s+\S+|(?<=[?&](?:api_?)?key=)[^&\s]+|\b[\w-]{40,}/gi;

function clean(text: string): string {
  // A long text is cut before it is searched for keys, well above the limit: a key must not be cut in half there.
  const safe = text
    .slice(0, LIMIT * 4)
    .replace(SECRETS, "[hidden]")
    .replace(/\s+/g, " ")
    .trim();
  return safe.length <= LIMIT ? safe : `${safe.slice(0, LIMIT - 1)}…`;
}
