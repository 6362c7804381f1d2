// Classifies a failed model call, and says after which delay it can be retried. The loop decides how often it retries. Never throws.
//  1  Only transient failures can be retried: rate limits, overload, network errors, timeouts, a stream that broke off.
//  2  The delay grows (1 s, 2, 4 … 5 minutes) with jitter. The delay that the provider asks for is the minimum, up to an hour.
//  3  The message is one sentence of limited length, and contains no key.

import { APICallError, TypeValidationError } from "@ai-sdk/provider";
import { type Clock, systemClock } from "../clock.ts";
import { parseDuration } from "../config/duration.ts";
import { describeSystemError, messageOf } from "../errors.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { ClassifyFailure, Failure, RefusalError } from "./model.ts";

type Cause = Failure["cause"];

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 300_000;
const LONGEST_OBEYED = 3_600_000;
const TRANSIENT: ReadonlySet<Cause> = new Set([
  "rate_limit",
  "overloaded",
  "network",
  "timeout",
  "truncated",
]);

export const classifyFailure: ClassifyFailure = createClassifyFailure(systemClock);

/** Creates the classifier. `clock` is used only if Retry-After is a date and the response has no Date header. */
export function createClassifyFailure(
  clock: Clock,
  keyVariableOf: KeyVariableOf = () => undefined,
): ClassifyFailure {
  return (thrown, attempt, random, model) => {
    try {
      const error = errorEventIn(thrown) ?? thrown;
      const overflow = overflowIn(error);
      const cause = overflow ? "too_long" : causeOf(error);
      const message = messageFor(cause, error, model && keyVariableOf(model));
      const rejection = cause === "rejected" ? rejectionIn(message, statusOf(error)) : undefined;
      const failure: Failure = {
        ...{ cause, message, ...overflow },
        ...(rejection ? { rejection } : {}),
        ...(mayBePaid(cause, error) ? { mayBePaid: true } : {}),
      };
      if (!TRANSIENT.has(cause)) return failure;
      return { ...failure, after: waitBefore(attempt, random, retryAfterOf(error, clock)) };
    } catch {
      return { cause: "rejected", message: "the call failed with an error that cannot be read" };
    }
  };
}

/** The error with which the loop aborts a call whose first or next chunk did not arrive in time. */
export function silenceError(waitedMs: number): Error {
  return new DOMException(`no answer for ${Math.round(waitedMs / 1_000)} s`, "TimeoutError");
}

/** The loop's error for a stream that ended without a finish part, or with the finish reason `interrupted`. */
export function cutStreamError(detail = "the stream ended without a finish reason"): Error {
  return Object.assign(new Error(detail), { name: "StreamCutError" });
}

/**
 * The loop's error for an answer that ended with the finish reason `content-filter`.
 * Anthropic gives a category and an explanation, Google a message. OpenAI's explanation is the text of the answer.
 */
export const refusalError: RefusalError = ({ finishReason: { raw }, providerMetadata = {} }, text) => {
  const details = Object.values(providerMetadata) as { stopDetails?: StopDetails; finishMessage?: string }[];
  const { category, explanation } = details.find(({ stopDetails }) => stopDetails)?.stopDetails ?? {};
  // A filter cuts the answer in the middle of a sentence. Without a filter, the whole text is the refusal.
  const isWhole = raw === undefined || raw === "stop";
  const said = explanation ?? details.find((detail) => detail.finishMessage)?.finishMessage;
  const why = said ?? (isWhole ? text.trim() : "");
  const kind = category ?? (isWhole ? undefined : raw);
  const message = `the model refused to answer${kind ? ` (${kind})` : ""}${why ? `: ${why}` : ""}`;
  return Object.assign(new Error(message), { name: REFUSAL });
};

interface StopDetails {
  category?: string;
  explanation?: string;
}

const REFUSAL = "RefusalError";

const SIGN_IN = "SignInError";

/** The error for a sign-in to a cloud that failed. `message` is a whole sentence for people. */
export function signInError(message: string, cause: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: SIGN_IN });
}

function waitBefore(attempt: number, random: number, retryAfter: number | undefined): number {
  const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.max(0, attempt - 1));
  const backOff = longest / 2 + (random * longest) / 2;
  // A random time is added to the delay that the provider asked for. Otherwise, calls that failed together would be retried together.
  const asked = retryAfter === undefined ? 0 : Math.min(LONGEST_OBEYED, retryAfter) + random * FIRST_WAIT;
  return Math.round(Math.max(backOff, asked));
}

/** Finds an error event of a stream in the error of a package that did not recognise the event. */
function errorEventIn(thrown: unknown): unknown {
  if (!TypeValidationError.isInstance(thrown)) return undefined;
  return (thrown.value as { error?: unknown } | null)?.error ?? undefined;
}

function causeOf(error: unknown): Cause {
  const chain = [...causesOf(error)];
  if (chain.some((link) => link["name"] === REFUSAL)) return "refused";
  if (chain.some((link) => link["name"] === "TimeoutError")) return "timeout";
  // A RangeError means that a package ran out of stack, because the answer is nested too deep.
  if (chain.some((link) => link["name"] === "RangeError")) return "unreadable";
  // The loop does not classify calls that it aborted itself, so this abort came from elsewhere.
  if (chain.some((link) => link["name"] === "AbortError")) return "network";
  const status = statusOf(error);
  if (status !== undefined && status >= 400) return causeOfStatus(status, error);
  const code = chain.map((link) => link["code"]).find(isNetworkCode);
  // A timeout before the connection is a network error, because the provider has received nothing.
  if (code !== undefined) return /^UND_ERR_(HEADERS|BODY)_TIMEOUT/.test(code) ? "timeout" : "network";
  if (chain.some((link) => link["name"] === SIGN_IN)) return "auth";
  if (chain.some((link) => CUT_OFF.has(String(link["name"])))) return "truncated";
  if (APICallError.isInstance(error)) {
    if (status !== undefined) return "truncated";
    return error.isRetryable ? "network" : "rejected";
  }
  return causeOfWords(chain);
}

function causeOfStatus(status: number, error: unknown): Cause {
  if (status === 401 || status === 403) return "auth";
  // Some providers answer 429 when the account has no credit left. In that case waiting does not help.
  if (status === 429) return NO_CREDIT.test(bodyOf(error)) ? "rejected" : "rate_limit";
  if (status === 408) return "timeout";
  if (status === 409 || status >= 500) return "overloaded";
  // The provider's package knows further temporary statuses, such as Bedrock's 424.
  return isRetryable([...causesOf(error)]) ? "overloaded" : "rejected";
}

const isRetryable = (chain: readonly Record<string, unknown>[]): boolean =>
  chain.some((link) => link["isRetryable"] === true);

const NO_CREDIT = /insufficient_quota|billing_(hard_limit|not_active)/;

/** Searches the message text for signs of missing credit, because providers have no common code for it. */
function rejectionIn(message: string, status: number | undefined): Failure["rejection"] {
  if (/quota|billing|credit|balance/i.test(message)) return "quota";
  return status === 400 || status === 422 ? "invalid" : undefined;
}

type Overflow = Pick<Failure, "window" | "promptTokens">;

/** Detects a prompt that is longer than the model's context. Returns the numbers that the provider named. */
function overflowIn(error: unknown): Overflow | undefined {
  const status = statusOf(error);
  if (status === 413) return namedNumbers(overflowText(error));
  if (status === 429) return requestAboveLimit(overflowText(error));
  const isPossible = status === undefined || status < 400 || POSSIBLE.has(status);
  if (!isPossible) return undefined;
  const text = overflowText(error);
  return OVERFLOW.test(text) ? namedNumbers(text) : undefined;
}

/** OpenAI answers 429 to a prompt with more tokens than the account may send per minute. Waiting does not help. */
function requestAboveLimit(text: string): Overflow | undefined {
  const [, limit, requested] = /\bLimit:? (\d+).{0,40}\bRequested:? (\d+)/i.exec(text) ?? [];
  const isAbove = limit !== undefined && Number(requested) > Number(limit);
  return isAbove || /\brequest too large\b/i.test(text) ? namedNumbers(text) : undefined;
}

/** The statuses with which a server can report that a prompt is too long. Some local servers use 500. */
const POSSIBLE = new Set([400, 422, 500]);

/** Error codes and messages for a prompt that is too long. Few providers have a separate code for it. */
const OVERFLOW = new RegExp(
  [
    "context_length_exceeded|exceed_context_size|prompt_tokens_exceeded|request_too_large|string_above_max_length",
    "(?:prompt|input|text|request|string|sequence|conversation) (?:is )?too (?:long|large)",
    "(?:maximum|max|available|model's|exceeds? the) (?:context|prompt) (?:length|size|window)",
    "(?:exceed|greater than|longer than|reached|overflow).{0,60}context (?:length|size|window|limit)",
    "context (?:length|size|window) (?:of only|exceeded|exceeds)",
    "token count.{0,40}exceeds?|exceeds? the (?:maximum number of tokens|limit of \\d)|exceeded model token limit",
    "too many (?:input )?tokens|max_new_tokens` must be",
  ].join("|"),
  "i",
);

const overflowText = (error: unknown): string => {
  const links = [...causesOf(error)].map((link) => `${String(link["code"])} ${String(link["message"])}`);
  return [...links, bodyOf(error)]
    .join(" ")
    .slice(0, LIMIT * 4)
    .replaceAll(/(?<=\d),(?=\d{3})/g, "");
};

/** Reads the numbers in an error text. The requested output also needs room in the window, so it is subtracted. */
function namedNumbers(text: string): Overflow {
  const window = numberIn(text, WINDOW);
  const promptTokens = numberIn(text, PROMPT_TOKENS);
  const left = window === undefined ? undefined : window - (numberIn(text, OUTPUT_TOKENS) ?? 0);
  return omitUndefined({ window: left !== undefined && left > 0 ? left : undefined, promptTokens });
}

const WINDOW = [
  / > (\d+)/,
  /<= (\d+)/,
  /(?:context|prompt) (?:length|size|window)(?: is| of| of only|:)? \(?(\d+)/i,
  /(?:tokens allowed|token limit|limit)(?: is| of|:)? \(?(\d+)/i,
  /(\d+) maximum context/i,
];

const PROMPT_TOKENS = [
  /(\d+) \+ \d+ > /,
  /(\d+) tokens? > /,
  /\((\d+) (?:in the messages|of text input)/,
  /(?:resulted in|request has|contains|requested:?|given:|first|count|count of)(?: about)? \(?(\d+)/i,
  /\((\d+) tokens\) exceeds/i,
];

const OUTPUT_TOKENS = [
  /\+ (\d+) > /,
  /(\d+) in the (?:completion|output)/i,
  /too large: (\d+)/i,
  /and (\d+) `max_new_tokens`/,
];

function numberIn(text: string, patterns: readonly RegExp[]): number | undefined {
  const found = patterns.map((pattern) => pattern.exec(text)?.[1]).find((digits) => digits !== undefined);
  const number = Number(found);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** Classifies an error event in a stream. The event has no status, but providers put a keyword into `type` or `code`. */
function causeOfWords(chain: readonly Record<string, unknown>[]): Cause {
  const words = chain.map((link) => `${String(link["type"])} ${String(link["code"])}`).join(" ");
  if (NO_CREDIT.test(words)) return "rejected";
  if (/rate.?limit|resource_exhausted/i.test(words)) return "rate_limit";
  if (/overload|server_error|api_error|unavailable|internal/i.test(words)) return "overloaded";
  if (/authentication|permission|unauthenticated/i.test(words)) return "auth";
  if (isRetryable(chain)) return "overloaded";
  if (chain.some((link) => link["message"] === "terminated" || link["message"] === "fetch failed")) {
    return "network";
  }
  return "rejected";
}

const CUT_OFF = new Set([
  "StreamCutError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
  "AI_JSONParseError",
  "AI_TypeValidationError",
]);

/** A provider charges for a prompt that it has received, even if its answer gets lost. Answers with an error status are free. */
function mayBePaid(cause: Cause, error: unknown): boolean {
  if (cause === "timeout") return true;
  return cause === "network" && [...causesOf(error)].some(wasCutAfterRequest);
}

/** Tells a connection that was cut after the request from one that was never made: refused, unknown host, failed TLS handshake. */
function wasCutAfterRequest({ code, syscall, message, socket }: Record<string, unknown>): boolean {
  if (code === "UND_ERR_SOCKET") return (socket as { bytesWritten?: number } | undefined)?.bytesWritten !== 0;
  if (code === "ECONNRESET" || code === "ETIMEDOUT") return syscall === "read";
  return message === "terminated" || message === "socket hang up";
}

function isNetworkCode(code: unknown): code is string {
  return typeof code === "string" && /^(UND_ERR_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET)/.test(code);
}

function bodyOf(error: unknown): string {
  if (APICallError.isInstance(error)) return error.responseBody ?? "";
  return JSON.stringify(error) ?? "";
}

function retryAfterOf(error: unknown, clock: Clock): number | undefined {
  const headers = APICallError.isInstance(error) ? (error.responseHeaders ?? {}) : {};
  const ms = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (ms >= 0) return ms;
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return retryDelayIn(bodyOf(error));
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  // Both dates come from the same server, so it does not matter if its clock differs from ours.
  const sent = Date.parse(headers["date"] ?? "");
  return Math.max(0, until - (Number.isNaN(sent) ? clock.now() : sent));
}

/** The delay in an error's body: Google's `retryDelay`, or a sentence such as "Please try again in 1m2.5s". */
function retryDelayIn(body: string): number | undefined {
  const named = body.match(/"retryDelay":\s*"([\d.]+s)"/)?.[1];
  const said = body.match(/(?:re)?try(?: again)? in ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)/i)?.[1];
  const delays = [named, said].flatMap((text) => (text && parseDuration(text)) || []);
  return delays.length === 0 ? undefined : Math.max(...delays);
}

function* causesOf(error: unknown): Generator<Record<string, unknown>> {
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth++) {
    const link = current as Record<string, unknown>;
    yield link;
    current = link["cause"];
  }
}

/** Maximum number of characters in an error message. */
const LIMIT = 500;

/** Name of the environment variable with the key for a model. Absent if the model needs no key. */
type KeyVariableOf = (model: string) => string | undefined;

/** Describes the failure in one sentence: the provider, the failure, the status and the provider's own message. */
function messageFor(cause: Failure["cause"], error: unknown, variable: string | undefined): string {
  const status = statusOf(error);
  const who = hostOf(error) ?? "the provider";
  const code = status === undefined || status < 400 ? "" : ` (${status})`;
  const words = cause === "network" ? networkWords(error) : wordsOf(error);
  if (error instanceof Error && error.name === SIGN_IN && cause === "auth") return clean(error.message);
  // The provider's message for status 401 is left out, because it might repeat the key in a form that no pattern recognises.
  if (cause === "auth" && status === 401) {
    const [which, where] = !variable ? ["", ""] : [` in ${variable}`, " there"];
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
    case "refused":
      return words;
    case "unreadable":
      return `the answer of ${who} cannot be read: it is nested too deep`;

    case "too_long":
      return `the conversation is too long for the model of ${who}${code}: ${words}`;
    case "auth":
      return `${who} does not permit this to the API key${code}: ${words}`;
    default:
      return `${who} rejected the request${code}: ${words}`;
  }
}

function statusOf(error: unknown): number | undefined {
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
    // The package could not parse the body, so its message is only "Bad Request". The body contains the reason.
    const body = error.responseBody.trimStart();
    if (!body.startsWith("<")) return messageIn(body) ?? `${error.message}: ${body.slice(0, LIMIT)}`;
  }
  return typeof message === "string" && message.trim() !== "" ? message : "no reason given";
}

/** The message in a JSON body of the usual form, `{ "error": { "message": … } }`. */
function messageIn(body: string): string | undefined {
  try {
    const message = JSON.parse(body)?.error?.message;
    return typeof message === "string" && message.trim() !== "" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Describes the socket error, because the packages' own messages are repetitive. */
function networkWords(error: unknown): string {
  const why = describeSystemError(error);
  return why === messageOf(error) ? wordsOf(error).replace(/^Cannot connect to API: /, "") : why;
}

const SECRETS =
  /\b(?:sk|pk|rk|gsk|xai|key|api)[-_](?=\S*[\d*])[\w*.-]{6,}|\bAIza[\w-]{10,}|\bBearer\s+\S+|(?<=[?&](?:api_?)?key=)[^&\s]+|\b[\w-]{40,}/gi;

function clean(text: string): string {
  // A long text is cut before it is searched for keys.
  // The cut is far beyond the maximum length, so that no key in the shown part is cut in half.
  const safe = text
    .slice(0, LIMIT * 4)
    .replace(SECRETS, "[hidden]")
    .replace(/\s+/g, " ")
    .trim();
  return safe.length <= LIMIT ? safe : `${safe.slice(0, LIMIT - 1)}…`;
}
