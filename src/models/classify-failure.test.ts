import { APICallError, InvalidResponseDataError, JSONParseError } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { fakeClock } from "../clock.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { classifyFailure, createClassifyFailure, cutStreamError, silenceError } from "./classify-failure.ts";

interface Answer {
  status?: number;
  message?: string;
  headers?: Record<string, string>;
  body?: string;
  cause?: unknown;
}

const apiError = ({ status, message = "said so", headers, body, cause }: Answer) =>
  new APICallError({
    message,
    url: "https://api.example.com/v1/messages",
    requestBodyValues: {},
    ...(status === undefined ? {} : { statusCode: status }),
    ...(headers === undefined ? {} : { responseHeaders: headers }),
    ...(body === undefined ? {} : { responseBody: body }),
    ...(cause === undefined ? {} : { cause, isRetryable: true }),
  });

const socket = (code: string) => Object.assign(new Error(`read ${code}`), { code });

test.each([
  [429, "rate_limit"],
  [529, "overloaded"],
  [500, "overloaded"],
  [502, "overloaded"],
  [503, "overloaded"],
  [504, "overloaded"],
  [408, "timeout"],
])("[F40] status %i is retried as %s", (status, cause) => {
  const failure = classifyFailure(apiError({ status }), 1, 0.5);
  expect(failure).toMatchObject({ cause, after: 750 });
  expect(failure.message).toMatch(new RegExp(`api\\.example\\.com.*\\(${status}\\): said so`));
});

test.each([
  [400, "rejected"],
  [402, "rejected"],
  [404, "rejected"],
  [422, "rejected"],
  [401, "auth"],
  [403, "auth"],
])("[F40] status %i is not retried: %s", (status, cause) => {
  const failure = classifyFailure(apiError({ status, headers: { "retry-after": "1" } }), 1, 0.5);
  expect(failure.cause).toBe(cause);
  expect(failure).not.toHaveProperty("after");
});

test.each([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "ECONNRESET",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "UND_ERR_SOCKET",
])("[F40] the error %s is retried, even as the cause of another error", (code) => {
  const cause = new TypeError("terminated", { cause: socket(code) });
  expect(classifyFailure(socket(code), 1, 0).message).not.toContain(code);
  expect(classifyFailure(socket(code), 1, 0)).toMatchObject({ cause: "network", after: 500 });
  expect(classifyFailure(apiError({ cause }), 1, 0).cause).toBe("network");
  expect(classifyFailure(apiError({ status: 200, cause }), 1, 0).cause).toBe("network");
});

test.each([
  ["Cadre's own timeout", silenceError(300_000)],
  ["Cadre's own timeout during a stream", apiError({ status: 200, cause: silenceError(300_000) })],
  ["AbortSignal.timeout", new DOMException("late", "TimeoutError")],
  ["no headers", apiError({ cause: socket("UND_ERR_HEADERS_TIMEOUT") })],
  ["no further body", apiError({ status: 200, cause: socket("UND_ERR_BODY_TIMEOUT") })],
])("[F40] a provider's silence is retried as a timeout: %s", (_, error) => {
  const failure = classifyFailure(error, 1, 0);
  expect(failure).toMatchObject({ cause: "timeout", after: 500 });
});

test.each([
  ["no finish part", cutStreamError()],
  ["no finish reason", new InvalidResponseDataError({ data: undefined, message: "ended" })],
  ["half a frame", new JSONParseError({ text: '{"id', cause: new SyntaxError("Unterminated") })],
  ["half a body", apiError({ status: 200, message: "Failed to process successful response" })],
])("[F41] a stream that breaks off is retried as truncated: %s", (_, error) => {
  expect(classifyFailure(error, 1, 0)).toMatchObject({ cause: "truncated", after: 500 });
});

test("[F40] an abort that Cadre did not start is retried as a network failure", () => {
  const failure = classifyFailure(new DOMException("aborted", "AbortError"), 1, 0);
  expect(failure).toMatchObject({ cause: "network", after: 500 });
});

test.each([
  [{ type: "overloaded_error", message: "busy", statusCode: 529, isRetryable: true }, "overloaded", true],
  [{ type: "server_error", message: "sorry" }, "overloaded", true],
  [{ code: "rate_limit_exceeded", message: "slow" }, "rate_limit", true],
  [{ code: 503, message: "busy" }, "overloaded", true],
  [{ type: "insufficient_quota", message: "pay" }, "rejected", false],
  [{ type: "invalid_request_error", message: "no" }, "rejected", false],
  ["just words", "rejected", false],
])("[F40] an error event inside a stream is classified: %j", (error, cause, retried) => {
  const failure = classifyFailure(error, 1, 0);
  expect(failure.cause).toBe(cause);
  expect("after" in failure).toBe(retried);
});

test("[F40] another status that the provider's package calls retryable is retried", () => {
  const error = Object.assign(apiError({ status: 424 }), { isRetryable: true });
  expect(classifyFailure(error, 1, 0)).toMatchObject({ cause: "overloaded", after: 500 });
});

const TPM = "for gpt-4o in organization org-x on tokens per min (TPM): Limit";
test("[F40] status 429 for a prompt above the limit per minute is classified as too long, because waiting does not help", () => {
  const failureFor = (message: string) => classifyFailure(apiError({ status: 429, message }), 1, 0);
  const tooLarge = failureFor(`Request too large ${TPM} 30000, Requested 41202. The input must be reduced.`);
  expect(tooLarge).toMatchObject({ cause: "too_long", window: 30_000, promptTokens: 41_202 });
  expect(tooLarge).not.toHaveProperty("after");
  const reached = failureFor(`Rate limit reached ${TPM} 30000, Used 29000, Requested 41202.`);
  expect(reached.cause).toBe("too_long");
  const passes = failureFor(`Rate limit reached ${TPM} 30000, Used 29000, Requested 8000.`);
  expect(passes).toMatchObject({ cause: "rate_limit", after: 500 });
});

test("[F40] status 429 for an account without credit is not retried", () => {
  const body = '{"error":{"code":"insufficient_quota"}}';
  expect(classifyFailure(apiError({ status: 429, body }), 1, 0)).not.toHaveProperty("after");
});

test.each([
  ["Your credit balance is too low", "quota"],
  ["there is no such model", undefined, 404],
  ["Could not process image", "invalid"],
])("[F40] lack of credit is distinguished from other rejections: %s", (message, rejection, status = 400) => {
  expect(classifyFailure(apiError({ status, message }), 1, 0).rejection).toBe(rejection);
});

/** The answers of providers, with the prompt's limit and its length in tokens as the answer names them. */
const TOO_LONG: [name: string, status: number, message: string, window?: number, promptTokens?: number][] = [
  ["Anthropic", 400, "prompt is too long: 212345 tokens > 200000 maximum", 200_000, 212_345],
  [
    "Anthropic with output",
    400,
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
    180_000,
    190_000,
  ],
  ["Anthropic's gateway", 413, "Request exceeds the maximum allowed number of bytes."],
  [
    "OpenAI Responses",
    400,
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  ],
  [
    "OpenAI Chat",
    400,
    "This model's maximum context length is 32768 tokens. However, your messages resulted in 40000 tokens.",
    32_768,
    40_000,
  ],
  [
    "vLLM",
    400,
    "This model's maximum context length is 32768 tokens. However, you requested 40960 tokens (32960 in the messages, 8000 in the completion).",
    24_768,
    32_960,
  ],
  [
    "vLLM with output",
    400,
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens (8192 > 32768 - 30000).",
    24_576,
    30_000,
  ],
  [
    "Google",
    400,
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    1_048_576,
    1_200_000,
  ],
  [
    "llama.cpp",
    400,
    "request (40000 tokens) exceeds the available context size (32768 tokens), try increasing it",
    32_768,
    40_000,
  ],
  [
    "llama.cpp, older",
    500,
    "the request exceeds the available context size. try increasing the context size or enable context shift",
  ],
  [
    "LM Studio",
    400,
    "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    4_096,
    9_000,
  ],
  ["Ollama", 400, "the input length exceeds the context length"],
  [
    "Mistral",
    400,
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    32_768,
    40_000,
  ],
  [
    "xAI",
    400,
    "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
    131_072,
    200_000,
  ],
  [
    "Moonshot",
    400,
    "Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)",
    131_072,
    140_000,
  ],
  ["Bedrock", 400, "Input is too long for requested model."],
  ["a number with commas", 400, "prompt is too long: 212,345 tokens > 200,000 maximum", 200_000, 212_345],
];

test.each(TOO_LONG)(
  "[F40] a prompt that is too long is recognised, with the numbers that the provider names: %s",
  (_, status, message, window, promptTokens) => {
    const failure = classifyFailure(apiError({ status, message }), 1, 0);
    expect(failure).toMatchObject({ cause: "too_long", ...omitUndefined({ window, promptTokens }) });
    expect(failure.window).toBe(window);
    expect(failure).not.toHaveProperty("after");
  },
);

test("[F40] a code in an error event of the stream says that the prompt is too long", () => {
  const error = { type: "error", code: "context_length_exceeded", message: "Your input is too big." };
  expect(classifyFailure(error, 1, 0).cause).toBe("too_long");
});

test.each([
  [400, "there is no such model"],
  [400, "tools.0.name: String should have at most 64 characters"],
  [400, "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens"],
  [500, "Internal server error"],
])("[F40] other failures are not taken for a prompt that is too long: %i %s", (status, message) => {
  expect(classifyFailure(apiError({ status, message }), 1, 0).cause).not.toBe("too_long");
});

test("[F40] the delay doubles with each attempt, up to five minutes, with jitter", () => {
  const waits = (random: number) =>
    [1, 2, 3, 5, 9, 10, 99].map(
      (attempt) => classifyFailure(apiError({ status: 500 }), attempt, random).after,
    );
  expect(waits(1)).toEqual([1_000, 2_000, 4_000, 16_000, 256_000, 300_000, 300_000]);
  expect(waits(0)).toEqual([500, 1_000, 2_000, 8_000, 128_000, 150_000, 150_000]);
});

test.each([
  ['{"error":{"details":[{"retryDelay":"3s"}],"message":"Please retry in 3.2s."}}', 3_200],
  ['{"error":{"details":[{"retryDelay": "41.5s"}]}}', 41_500],
  ['{"error":{"message":"Rate limit reached. Please try again in 1m2.5s."}}', 62_500],
  ['{"error":{"message":"Please try again in 820ms."}}', 820],
  ['{"error":{"message":"Please try again in a moment."}}', 500],
])("[F40] a delay in the body of a rate limit is the minimum delay: %s", (body, least) => {
  expect(classifyFailure(apiError({ status: 429, body }), 1, 0).after).toBe(least);
});

const DATED = { date: "Sun, 15 Nov 2026 12:00:00 GMT", "retry-after": "Sun, 15 Nov 2026 12:00:42 GMT" };

test.each([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after-ms": "1234", "retry-after": "9" }, 1_234],
  [DATED, 42_000],
  [{ "retry-after": "86400" }, 3_600_000],
  [{ "retry-after": "soon" }, 500],
  [{ "retry-after": "Sun, 15 Nov 2020 12:00:00 GMT" }, 500],
])("[F40] Retry-After sets the minimum delay, up to an hour: %j", (headers, least) => {
  expect(classifyFailure(apiError({ status: 429, headers }), 1, 0).after).toBe(least);
  const jittered = classifyFailure(apiError({ status: 429, headers }), 1, 1).after!;
  expect(jittered).toBeGreaterThan(least);
});

test("[F40] without a Date header, Cadre's clock is used to measure a Retry-After date", () => {
  const clock = fakeClock(Date.parse("2026-11-15T12:00:00Z"));
  const error = apiError({ status: 503, headers: { "retry-after": DATED["retry-after"] } });
  expect(createClassifyFailure(clock)(error, 1, 0).after).toBe(42_000);
});

test("[F40] a Retry-After shorter than the back-off does not shorten the delay", () => {
  const error = apiError({ status: 429, headers: { "retry-after": "1" } });
  expect(classifyFailure(error, 5, 1).after).toBe(16_000);
});

test("the message about a wrong key never contains the key", () => {
  const message = "Incorrect API key provided: my-odd-key. Also sk-ant-api03-abcdef";
  const wrong = classifyFailure(apiError({ status: 401, message }), 1, 0).message;
  expect(wrong).toContain("refused the API key (401)");
  expect(wrong).not.toMatch(/my-odd-key|sk-ant/);
});

test.each([
  "sk-ant-api03-abcdefgh1234",
  "AIzaSyA1234567890abcdefg",
  "Bearer abc.def",
  "https://x.y/v1?key=s3cret",
])("no error message repeats a secret: %s", (secret) => {
  for (const error of [apiError({ status: 400, message: `bad ${secret} here` }), `bad ${secret} here`]) {
    const { message } = classifyFailure(error, 1, 0);
    expect(message).toMatch(/bad .*\[hidden\] here/);
    expect(message).not.toMatch(/abcdef|abc\.def|s3cret/);
  }
});

test("an error message is one line of limited length, and quotes a response body of unknown format", () => {
  const { message } = classifyFailure(
    apiError({ status: 400, message: `no\n  ${"word ".repeat(50_000)}` }),
    1,
    0,
  );
  expect(message.length).toBeLessThanOrEqual(500);
  expect(message).not.toContain("\n");
  const body = '{"detail":"context is too long"}';
  expect(classifyFailure(apiError({ status: 400, message: "Bad Request", body }), 1, 0).message).toContain(
    "context is too long",
  );
});

test.each([undefined, null, 42, "", Symbol("x"), {}, Object.create(null), [], () => 1, 10n])(
  "any thrown value can be classified (%#)",
  (error) => {
    expect(classifyFailure(error, 1, 0)).toMatchObject({ cause: "rejected", message: expect.any(String) });
  },
);

test("an error whose properties throw can be classified", () => {
  const error = new Error("x");
  Object.defineProperty(error, "message", {
    get() {
      throw new Error("no");
    },
  });
  const circular: Record<string, unknown> = { status: 429 };
  circular["self"] = circular;
  for (const bad of [error, circular]) expect(classifyFailure(bad, 1, 0).message).toEqual(expect.any(String));
});
