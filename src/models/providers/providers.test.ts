// Tests every provider protocol over real HTTP: answers must arrive, and failures must be classified correctly.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { classifyFailure, createClassifyFailure } from "../classify-failure.ts";
import type { ClassifyFailure, Failure, Model } from "../model.ts";
import { createModels } from "../registry.ts";

const mock = new LLMock({ port: 0, strict: true, logLevel: "silent" });
const servers: Server[] = [];

beforeAll(async () => {
  mock.addFixture({
    match: { userMessage: "weather" },
    response: ({ model }) => ({
      content: "Let me look.",
      toolCalls: [{ name: "getWeather", arguments: '{"city":"Oslo"}' }],
      ...(model.startsWith("gemini") ? { finishReason: "STOP" } : {}),
      usage: {
        input_tokens: 111,
        output_tokens: 22,
        prompt_tokens: 111,
        completion_tokens: 22,
        promptTokenCount: 111,
        candidatesTokenCount: 22,
      },
    }),
  });
  for (const [userMessage, status] of Object.entries({
    limit: 429,
    busy: 529,
    broken: 500,
    key: 401,
    bad: 400,
  })) {
    mock.addFixture({
      match: { userMessage },
      response: { error: { message: `provider says ${userMessage}` }, status, retryAfter: 7 },
    });
  }
  await mock.start();
});

afterAll(() => mock.stop());

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const NAMES = ["anthropic/claude-sonnet-4-5", "openai/gpt-5", "google/gemini-2.5-pro", "local/team/qwen"];

function modelAt(name: string, url: string): Model {
  return createModels({
    env: {
      ANTHROPIC_API_KEY: "secret-a",
      ANTHROPIC_BASE_URL: url,
      OPENAI_API_KEY: "secret-o",
      OPENAI_BASE_URL: `${url}/v1`,
      GEMINI_API_KEY: "secret-g",
      LOCAL_KEY: "secret-l",
    },
    providers: {
      google: { type: "google", baseURL: `${url}/v1beta` },
      local: {
        type: "openai-compatible",
        baseURL: `${url}/v1`,
        apiKeyEnv: "LOCAL_KEY",
        headers: { "x-team": "blue" },
      },
    },
  }).resolve(name);
}

async function ask(model: Model, text: string): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text }] }],
    maxOutputTokens: 100,
    tools: [{ type: "function", name: "getWeather", inputSchema: { type: "object", properties: {} } }],
    providerOptions: { cadre: { agent: "main", runId: "r1", turn: 1, attempt: 1, purpose: "turn" } },
  });
  return Array.fromAsync(stream);
}

/** Classifies a failure as the loop does, whether the failure is thrown or arrives as an error part of the stream. */
async function failureOf(
  model: Model,
  text: string,
  classify: ClassifyFailure = classifyFailure,
): Promise<Failure> {
  try {
    const parts = await ask(model, text);
    const failed = parts.find((part) => part.type === "error");
    if (failed !== undefined) return classify(failed.error, 1, 0);
    throw new Error(`no failure in ${JSON.stringify(parts)}`);
  } catch (error) {
    return classify(error, 1, 0);
  }
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(NAMES)("the provider %s streams text, a tool call and usage", async (name) => {
  const parts = await ask(modelAt(name, mock.url), "weather");
  const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  expect(text).toBe("Let me look.");
  const calls = parts.filter((part) => part.type === "tool-call");
  expect(calls).toEqual([expect.objectContaining({ toolName: "getWeather", input: '{"city":"Oslo"}' })]);
  expect(parts.at(-1)).toMatchObject({
    type: "finish",
    finishReason: { unified: "tool-calls" },
    usage: { inputTokens: { total: 111 }, outputTokens: { total: 22 } },
  });
});

test("a request to an openai-compatible server has the configured headers, and requests usage data", async () => {
  await ask(modelAt("local/team/qwen", mock.url), "weather");
  const request = mock.getLastRequest()!;
  expect(request.path).toBe("/v1/chat/completions");
  expect(request.body).toMatchObject({ model: "team/qwen", stream_options: { include_usage: true } });
  expect(request.headers["x-team"]).toBe("blue");
});

test("[24.1] [24.2] a request to Claude behind a gateway has cache breakpoints after the system prompt and at the end; tokens written to the cache are counted", async () => {
  let body = "";
  const usage = {
    ...{ prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050, cost: 0.01 },
    prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  const answer = { choices: [{ index: 0, delta: { content: "hi" }, finish_reason: "stop" }] };
  const chunks = [answer, { choices: [], usage }].map((chunk) => JSON.stringify({ id: "c", ...chunk }));
  const url = await serve((request, response) => {
    body = "";
    request.on("data", (bytes: Buffer) => {
      body += bytes.toString();
    });
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end([...chunks, "[DONE]"].map((data) => `data: ${data}\n\n`).join(""));
    });
  });
  const requestOf = async (name: string) => {
    const { stream } = await modelAt(name, url).doStream({
      prompt: [
        { role: "system", content: "You help." },
        { role: "user", content: [{ type: "text", text: "Hello." }] },
      ],
      providerOptions: { cadre: { agent: "main", runId: "r1", turn: 1, attempt: 1, purpose: "turn" } },
    });
    return {
      finish: (await Array.fromAsync(stream)).at(-1),
      sent: JSON.parse(body) as Record<string, unknown>,
    };
  };
  const cache_control = { type: "ephemeral" };
  const { sent, finish } = await requestOf("local/anthropic/claude-sonnet-4-5");
  expect(sent).toMatchObject({ cache_control });
  expect(sent["messages"]).toEqual([
    { role: "system", content: [{ type: "text", text: "You help.", cache_control }] },
    { role: "user", content: "Hello." },
  ]);
  expect(finish).toMatchObject({
    usage: {
      inputTokens: { total: 1_000, noCache: 100, cacheRead: 600, cacheWrite: 300 },
      outputTokens: { total: 50, text: 30, reasoning: 20 },
    },
  });
  const other = await requestOf("local/qwen");
  expect(JSON.stringify(other.sent), "other models get no such fields").not.toContain("cache_control");
});

test("if a compatible server reports no usage, the token counts are missing, not zero", async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = { id: "c", choices: [{ index: 0, delta: { content: "hi" }, finish_reason: "stop" }] };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  expect((await ask(modelAt("local/qwen", url), "hi")).at(-1)).toMatchObject({
    usage: { inputTokens: { total: undefined }, outputTokens: { total: undefined } },
  });
});

test.each(["anthropic/claude-sonnet-4-5", "google/gemini-2.5-pro", "local/qwen"])(
  "[F40] the error about a wrong key for %s names the key's variable, but does not show the key",
  async (name) => {
    const variable = { anthropic: "ANTHROPIC_API_KEY", google: "GEMINI_API_KEY" }[name.split("/")[0]!];
    const models = createModels({
      env: {
        ...{ ANTHROPIC_API_KEY: "secret", GEMINI_API_KEY: "secret", API_KEY_2: "secret" },
        ANTHROPIC_BASE_URL: mock.url,
      },
      providers: {
        google: { type: "google", baseURL: `${mock.url}/v1beta` },
        local: { type: "openai-compatible", baseURL: `${mock.url}/v1`, apiKeyEnv: "API_KEY_2" },
      },
    });
    const classifyFor = createClassifyFailure(systemClock, models.keyVariableOf);
    const classify: ClassifyFailure = (error, attempt, random) => classifyFor(error, attempt, random, name);
    const { message } = await failureOf(models.resolve(name), "key", classify);
    expect(message).toMatch(
      new RegExp(`\\(401\\): the key in ${variable ?? "API_KEY_2"} is wrong or expired`),
    );
    expect(message).not.toContain("secret");
  },
);

test("openai is called through its Responses API", async () => {
  await ask(modelAt("openai/gpt-5", mock.url), "weather");
  expect(mock.getLastRequest()?.path).toBe("/v1/responses");
});

test.each(NAMES)(
  "[F40] %s: status 429, 529 and 500 are retried; status 400 and a wrong key are not",
  async (name) => {
    const model = modelAt(name, mock.url);
    expect(await failureOf(model, "limit")).toEqual({
      cause: "rate_limit",
      message: expect.stringMatching(/\(429\): provider says limit/),
      after: 7_000,
    });
    expect(await failureOf(model, "busy")).toMatchObject({ cause: "overloaded", after: 500 });
    expect(await failureOf(model, "broken")).toMatchObject({ cause: "overloaded", after: 500 });
    expect(await failureOf(model, "bad")).toEqual({
      cause: "rejected",
      rejection: "invalid",
      message: expect.stringMatching(/rejected the request \(400\): provider says bad/),
    });
    const wrongKey = await failureOf(model, "key");
    expect(wrongKey).toEqual({
      cause: "auth",
      message: expect.stringContaining("refused the API key (401)"),
    });
    expect(wrongKey.message).not.toContain("secret");
  },
);

test.each(NAMES)("[F40] %s: a reset or refused connection is a network failure", async (name) => {
  const url = await serve((request) => request.socket.resetAndDestroy());
  expect(await failureOf(modelAt(name, url), "hello")).toMatchObject({ cause: "network", after: 500 });
  const closed = await failureOf(modelAt(name, "http://127.0.0.1:1"), "hello");
  expect(closed).toMatchObject({ cause: "network", message: expect.stringContaining("127.0.0.1:1") });
});

test("[F40] a host that does not exist is reported as a network failure", async () => {
  const failure = await failureOf(modelAt("local/x", "http://nonexistent.invalid"), "hello");
  expect(failure).toMatchObject({ cause: "network", after: 500 });
  expect(failure.message).toContain("nonexistent.invalid");
});

const FRAMES: Record<string, string> = {
  "anthropic/claude-sonnet-4-5":
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"c","usage":{"input_tokens":1,"output_tokens":1}}}\n\n' +
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"getWeather","input":{}}}\n\n' +
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"city\\":"}}\n\n',
  "local/team/qwen":
    'data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"getWeather","arguments":"{\\"city\\":"}}]}}]}\n\n',
};

test.each(Object.keys(FRAMES))(
  "[F41] %s: a stream that breaks in the middle of JSON is reported as a network failure",
  async (name) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(FRAMES[name], () => setImmediate(() => response.destroy()));
    });
    expect(await failureOf(modelAt(name, url), "hello")).toMatchObject({ cause: "network", after: 500 });
  },
);

test("[F41] a stream that ends without a finish reason is reported as truncated", async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(FRAMES["local/team/qwen"]);
  });
  const failure = await failureOf(modelAt("local/team/qwen", url), "hello");
  expect(failure).toMatchObject({ cause: "truncated", after: 500 });
});

test("[F40] an overload error inside a stream is recognised", async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(FRAMES["anthropic/claude-sonnet-4-5"]);
    response.end(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    );
  });
  const failure = await failureOf(modelAt("anthropic/claude-sonnet-4-5", url), "hello");
  expect(failure).toMatchObject({ cause: "overloaded", message: expect.stringContaining("Overloaded") });
});

test.each(NAMES)(
  "[F40] %s: Cadre's own time limit is reported as a timeout, and any other abort as a network failure",
  async (name) => {
    const url = await serve(() => {});
    const model = modelAt(name, url);
    const call = (abortSignal: AbortSignal) =>
      Promise.resolve(
        model.doStream({
          prompt: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
          abortSignal,
        }),
      ).then(
        () => "answered",
        (error: unknown) => classifyFailure(error, 1, 0).cause,
      );
    expect(await call(AbortSignal.timeout(50))).toBe("timeout");
    expect(await call(AbortSignal.abort())).toBe("network");
  },
);
