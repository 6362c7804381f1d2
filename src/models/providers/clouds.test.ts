// Tests Amazon Bedrock, Google Vertex and Azure OpenAI over real HTTP on loopback: what is sent, how it is signed, and what is cached.

import { writeFileSync } from "node:fs";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { settingSecrets } from "../../project/mask.ts";
import { classifyFailure } from "../classify-failure.ts";
import type { Failure } from "../model.ts";
import { createModels, type ModelsConfig } from "../registry.ts";
import { providerTypes } from "./index.ts";
import { loadOptional } from "./provider-type.ts";

interface Sent {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: string | Buffer;
}

let server: Server;
let url: string;
let sent: Sent[] = [];
let answer: (request: Sent) => Answer;

beforeEach(async () => {
  sent = [];
  answer = () => ({ body: "" });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = Buffer.concat(await Array.fromAsync(request)).toString();
    const { url: path = "", headers } = request;
    const got = { path, headers, body: text.startsWith("{") ? JSON.parse(text) : {} };
    sent.push(got);
    const { status = 200, headers: more = {}, body } = answer(got);
    response.writeHead(status, more).end(body);
  };
  server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The tests use no credentials of the machine that runs them.
  for (const name of Object.keys(process.env))
    if (/^(AWS|AZURE|GOOGLE)_/.test(name)) vi.stubEnv(name, undefined);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
});

const PROMPT: LanguageModelV4Prompt = [
  { role: "system", content: "You are helpful." },
  { role: "user", content: [{ type: "text", text: "first" }] },
  { role: "assistant", content: [{ type: "text", text: "yes" }] },
  { role: "user", content: [{ type: "text", text: "second" }] },
];

const CONTEXT = {
  agent: "main",
  runId: "r1",
  tree: "tree-1",
  turn: 1,
  attempt: 1,
  purpose: "turn",
  round: 0,
};

async function ask(
  name: string,
  config: ModelsConfig,
  { context = {}, ...more }: Partial<LanguageModelV4CallOptions> & { context?: object } = {},
): Promise<string> {
  const cadre = { ...CONTEXT, ...context };
  const { stream } = await createModels(config)
    .resolve(name)
    .doStream({ prompt: PROMPT, maxOutputTokens: 100, ...more, providerOptions: { cadre } });
  const parts = await Array.fromAsync(stream);
  const failed = parts.find((part) => part.type === "error");
  if (failed) throw failed.error;
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
}

async function failureOf(name: string, config: ModelsConfig): Promise<Failure> {
  try {
    await ask(name, config);
  } catch (error) {
    return classifyFailure(error, 1, 0);
  }
  throw new Error("the call did not fail");
}

/** One event in AWS's binary framing: lengths, headers and payload, each part with its checksum. */
function awsEvent(type: string, payload: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(payload));
  const pairs = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  const headers = Buffer.concat(
    Object.entries(pairs).flatMap(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(value.length);
      return [Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)];
    }),
  );
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const checked = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([checked, checksum(checked)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

const bedrockAnswer = (): Answer => ({
  headers: { "content-type": "application/vnd.amazon.eventstream" },
  body: Buffer.concat([
    awsEvent("messageStart", { role: "assistant" }),
    awsEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hello from Bedrock" } }),
    awsEvent("contentBlockStop", { contentBlockIndex: 0 }),
    awsEvent("messageStop", { stopReason: "end_turn" }),
    awsEvent("metadata", {
      usage: {
        inputTokens: 5,
        outputTokens: 3,
        cacheReadInputTokens: 90,
        cacheWriteInputTokens: 5,
        totalTokens: 103,
      },
    }),
  ]),
});

const CLAUDE_ON_BEDROCK = "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const AWS_KEYS = {
  AWS_REGION: "eu-west-1",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret-aws-key",
};
const atBedrock = (env: ModelsConfig["env"]): ModelsConfig => ({
  env: { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url, ...env },
});

test("Claude on Bedrock answers a request that is signed with the AWS keys of the environment", async () => {
  answer = bedrockAnswer;
  expect(await ask(CLAUDE_ON_BEDROCK, atBedrock({ ...AWS_KEYS, AWS_SESSION_TOKEN: "session-token" }))).toBe(
    "Hello from Bedrock",
  );
  expect(sent[0]!.path).toContain("/converse-stream");
  expect(sent[0]!.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-west-1\/bedrock/,
  );
  expect(sent[0]!.headers["x-amz-security-token"]).toBe("session-token");
});

test("a Bedrock API key is used before AWS keys, and signs nothing", async () => {
  answer = bedrockAnswer;
  await ask(CLAUDE_ON_BEDROCK, atBedrock({ ...AWS_KEYS, AWS_BEARER_TOKEN_BEDROCK: "bedrock-key" }));
  expect(sent[0]!.headers.authorization).toBe("Bearer bedrock-key");
});

test("a Bedrock API key in process.env is not used if Cadre's own environment lacks it", async () => {
  answer = bedrockAnswer;
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "of-another-project");
  await ask(CLAUDE_ON_BEDROCK, atBedrock(AWS_KEYS));
  expect(sent[0]!.headers.authorization).toMatch(/^AWS4-HMAC-SHA256/);
});

test("Bedrock signs in with a profile of the AWS credentials file", async () => {
  answer = bedrockAnswer;
  const file = join(scratchFolder("cadre-aws-"), "credentials");
  writeFileSync(file, "[work]\naws_access_key_id = AKIDWORK\naws_secret_access_key = secret-of-work\n");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
  const bedrock = { type: "bedrock", baseURL: url, region: "us-east-1", profile: "work" } as const;
  await ask(CLAUDE_ON_BEDROCK, { env: AWS_KEYS, providers: { bedrock } });
  expect(sent[0]!.headers.authorization).toContain("Credential=AKIDWORK/");
  const missing = { ...bedrock, profile: "play" };
  expect(await failureOf(CLAUDE_ON_BEDROCK, { env: {}, providers: { bedrock: missing } })).toEqual({
    cause: "auth",
    message: expect.stringMatching(/AWS credentials could not be found.*aws sso login/),
  });
});

test("Claude and Nova on Bedrock get cache points after the system prompt and the last message; other models get none", async () => {
  answer = bedrockAnswer;
  const point = { cachePoint: { type: "default" } };
  for (const model of [CLAUDE_ON_BEDROCK, "bedrock/us.amazon.nova-pro-v1:0"]) {
    await ask(model, atBedrock(AWS_KEYS));
    const { system, messages } = sent.at(-1)!.body as {
      system: unknown[];
      messages: { content: unknown[] }[];
    };
    expect(system).toEqual([{ text: "You are helpful." }, point]);
    expect(messages.map(({ content }) => content.length)).toEqual([1, 1, 2]);
    expect(messages.at(-1)!.content.at(-1)).toEqual(point);
  }
  await ask("bedrock/us.meta.llama3-3-70b-instruct-v1:0", atBedrock(AWS_KEYS));
  expect(JSON.stringify(sent.at(-1)!.body)).not.toContain("cachePoint");
});

test("if a Claude model on Bedrock binds thoughts to a conversation, Cadre lets it drop thoughts of other conversations", async () => {
  answer = bedrockAnswer;
  const unbound = { block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const beta = ["thinking-binding-controls-2026-08-01"];
  const model = "bedrock/us.anthropic.claude-opus-5-5-v1:0";
  await ask(model, atBedrock(AWS_KEYS), { temperature: 0.5 });
  expect(sent.at(-1)!.body).toMatchObject({
    additionalModelRequestFields: { thinking: unbound, anthropic_beta: beta },
  });
  await ask(model, atBedrock(AWS_KEYS), { temperature: 0.5, context: { reasoning: "high" } });
  const thinking = { type: "adaptive", display: "summarized", ...unbound };
  const { additionalModelRequestFields, inferenceConfig } = sent.at(-1)!.body;
  expect(additionalModelRequestFields).toEqual({
    ...{ thinking, output_config: { effort: "high" } },
    anthropic_beta: beta,
  });
  expect(inferenceConfig ?? {}).not.toHaveProperty("temperature");
  await ask("bedrock/us.anthropic.claude-opus-4-7-v1:0", atBedrock(AWS_KEYS), {
    context: { reasoning: "high" },
  });
  expect(JSON.stringify(sent.at(-1)!.body)).not.toContain("block_binding");
});

const LOOK: LanguageModelV4FunctionTool = { type: "function", name: "look", inputSchema: { type: "object" } };
const LOOKED: LanguageModelV4Prompt = [
  ...PROMPT,
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: {} }],
  },
  {
    role: "tool",
    content: [
      {
        ...{ type: "tool-result", toolCallId: "c1", toolName: "look" },
        output: { type: "text", value: "the finding" },
      },
    ],
  },
  { role: "user", content: [{ type: "text", text: "Summarise it." }] },
];

test("Claude on Bedrock gets strict tools, and other models get none", async () => {
  answer = bedrockAnswer;
  const properties = { a: { type: "string" as const } };
  const schema = { type: "object" as const, properties, required: ["a"] };
  const tool = { ...LOOK, inputSchema: { ...schema, additionalProperties: false } };
  for (const [model, strict] of [
    [CLAUDE_ON_BEDROCK, true],
    ["bedrock/us.meta.llama3-3-70b-instruct-v1:0", undefined],
  ] as const) {
    await ask(model, atBedrock(AWS_KEYS), { tools: [tool] });
    const { tools } = sent.at(-1)!.body["toolConfig"] as { tools: { toolSpec: { strict?: boolean } }[] };
    expect(tools[0]!.toolSpec.strict).toBe(strict);
  }
});

test.each([
  CLAUDE_ON_BEDROCK,
  "bedrock/us.amazon.nova-pro-v1:0",
  "bedrock/us.meta.llama3-3-70b-instruct-v1:0",
])("%s writes a summary from the tools' results, even in a second attempt", async (model) => {
  answer = bedrockAnswer;
  for (const attempt of [1, 2]) {
    const context = { purpose: "summary", attempt };
    await ask(model, atBedrock(AWS_KEYS), {
      ...{ prompt: LOOKED, tools: [LOOK], toolChoice: { type: "none" }, context },
    });
    const { messages, toolConfig } = sent.at(-1)!.body;
    expect(JSON.stringify(messages)).toContain("the finding");
    expect(toolConfig).toMatchObject({ tools: [{ toolSpec: { name: "look" } }] });
  }
});

test.each([
  [
    "ExpiredTokenException",
    "The security token included in the request is expired",
    /AWS session has expired.*aws sso login/,
  ],
  [
    "UnrecognizedClientException",
    "The security token included in the request is invalid.",
    /AWS does not accept these credentials/,
  ],
])(
  "[F40] status 403 with %s counts as a failed sign-in, and the message says how to sign in",
  async (type, message, sentence) => {
    answer = () => ({
      status: 403,
      headers: { "x-amzn-errortype": type },
      body: JSON.stringify({ message }),
    });
    const failure = await failureOf(CLAUDE_ON_BEDROCK, atBedrock(AWS_KEYS));
    expect(failure).toEqual({ cause: "auth", message: expect.stringMatching(sentence) });
  },
);

test("[F40] Bedrock's throttling is a rate limit, which is retried", async () => {
  answer = () => ({
    status: 429,
    headers: { "x-amzn-errortype": "ThrottlingException" },
    body: '{"message":"slow"}',
  });
  expect(await failureOf(CLAUDE_ON_BEDROCK, atBedrock(AWS_KEYS))).toMatchObject({ cause: "rate_limit" });
});

const geminiAnswer = (): Answer => ({
  headers: { "content-type": "text/event-stream" },
  body: `data: ${JSON.stringify({
    candidates: [
      { content: { role: "model", parts: [{ text: "Hello from Gemini" }] }, finishReason: "STOP" },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 },
  })}\n\n`,
});

const claudeAnswer = (): Answer => ({
  headers: { "content-type": "text/event-stream" },
  body: [
    {
      type: "message_start",
      message: {
        ...{ id: "m", type: "message", role: "assistant", content: [], model: "claude" },
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello from Claude" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(""),
});

const atVertex = (env: ModelsConfig["env"] = {}): ModelsConfig => ({
  env,
  providers: { vertex: { type: "vertex", baseURL: url, location: "europe-west1" } },
});

/** Google's libraries ask this address for a token if they run on Google's machines. */
function imitateMetadataServer(then: () => Answer): void {
  vi.stubEnv("GCE_METADATA_HOST", url.slice("http://".length));
  vi.stubEnv("METADATA_SERVER_DETECTION", "assume-present");
  // These folders do not exist, so the libraries find no other credentials.
  vi.stubEnv("CLOUDSDK_CONFIG", "/nonexistent");
  vi.stubEnv("HOME", "/nonexistent");
  answer = ({ path }) => {
    if (!path.startsWith("/computeMetadata")) return then();
    const body = path.includes("/token")
      ? JSON.stringify({ access_token: "adc-token", expires_in: 3600, token_type: "Bearer" })
      : "p";
    return { headers: { "metadata-flavor": "Google", "content-type": "application/json" }, body };
  };
}

test("Gemini on Vertex signs in with application default credentials, in the given project and location", async () => {
  imitateMetadataServer(geminiAnswer);
  expect(await ask("vertex/gemini-2.5-pro", atVertex({ GOOGLE_VERTEX_PROJECT: "my-project" }))).toBe(
    "Hello from Gemini",
  );
  const { path, headers } = sent.at(-1)!;
  expect(path).toMatch(
    /^\/v1beta1\/projects\/my-project\/locations\/europe-west1\/publishers\/google\/models\/gemini-2.5-pro:stream/,
  );
  expect(headers.authorization).toBe("Bearer adc-token");
});

test("Gemini on Vertex works with an API key alone", async () => {
  answer = geminiAnswer;
  await ask("vertex/gemini-2.5-pro", atVertex({ GOOGLE_VERTEX_API_KEY: "express-key" }));
  expect(sent[0]!.path).toMatch(/^\/v1\/publishers\/google\/models\/gemini-2.5-pro:stream/);
  expect(sent[0]!.headers["x-goog-api-key"]).toBe("express-key");
  expect(sent[0]!.headers.authorization).toBeUndefined();
});

test("Claude on Vertex has cache breakpoints after the system prompt and the last message", async () => {
  imitateMetadataServer(claudeAnswer);
  const config = atVertex({ GOOGLE_CLOUD_PROJECT: "my-project" });
  expect(await ask("vertex/claude-sonnet-4-5@20250929", config)).toBe("Hello from Claude");
  const { path, body } = sent.at(-1)!;
  expect(path).toBe(
    "/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
  );
  const cache_control = { type: "ephemeral" };
  expect(body["cache_control"]).toBeUndefined();
  expect(body["system"]).toEqual([{ type: "text", text: "You are helpful.", cache_control }]);
  expect((body["messages"] as unknown[]).at(-1)).toEqual({
    role: "user",
    content: [{ type: "text", text: "second", cache_control }],
  });
});

test("a summary call forbids tools only after Claude has called one instead of answering, because forbidding tools invalidates the cached prompt", async () => {
  imitateMetadataServer(claudeAnswer);
  const choiceAfter = async (failedBy: string) => {
    await ask("vertex/claude-sonnet-4-5@20250929", atVertex({ GOOGLE_CLOUD_PROJECT: "p" }), {
      ...{ prompt: LOOKED, tools: [LOOK], toolChoice: { type: "none" } },
      context: { purpose: "summary", attempt: 2, failedBy },
    });
    return sent.at(-1)!.body["tool_choice"];
  };
  for (const cause of ["overloaded", "network", "truncated"])
    expect(await choiceAfter(cause)).toBeUndefined();
  expect(await choiceAfter("empty")).toEqual({ type: "none" });
});

test("[F40] missing Google credentials count as a failed sign-in, and the message says how to sign in", async () => {
  vi.stubEnv("METADATA_SERVER_DETECTION", "none");
  vi.stubEnv("CLOUDSDK_CONFIG", "/nonexistent");
  vi.stubEnv("HOME", "/nonexistent");
  const failure = await failureOf("vertex/gemini-2.5-pro", atVertex({ GOOGLE_VERTEX_PROJECT: "p" }));
  expect(failure).toEqual({
    cause: "auth",
    message: expect.stringMatching(/no Google credentials were found.*gcloud auth application-default login/),
  });
});

const azureAnswer = (): Answer => ({
  headers: { "content-type": "text/event-stream" },
  body: [
    { type: "response.created", response: { id: "r", created_at: 1, model: "gpt-5" } },
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m" } },
    { type: "response.output_text.delta", item_id: "m", delta: "Hello from Azure" },
    { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "m" } },
    { type: "response.completed", response: { usage: { input_tokens: 9, output_tokens: 3 } } },
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join(""),
});

const atAzure = (env: ModelsConfig["env"]): ModelsConfig => ({
  env,
  providers: { azure: { type: "azure", baseURL: `${url}/openai/v1` } },
});

test("a request to a GPT model on Azure names the deployment, forbids storing the answer, and has the tree's cache key", async () => {
  answer = azureAnswer;
  expect(await ask("azure/gpt-5", atAzure({ AZURE_API_KEY: "azure-key" }))).toBe("Hello from Azure");
  expect(sent[0]!.path).toBe("/openai/v1/responses");
  expect(sent[0]!.headers["api-key"]).toBe("azure-key");
  expect(sent[0]!.body).toMatchObject({
    model: "gpt-5",
    store: false,
    prompt_cache_key: "tree-1",
    include: ["reasoning.encrypted_content"],
  });
});

test("a deployment with a custom name reasons if the agent asks for it, and its reasoning is kept", async () => {
  answer = azureAnswer;
  const bodyOf = async (deployment: string, context: object) => {
    await ask(`azure/${deployment}`, atAzure({ AZURE_API_KEY: "k" }), { context });
    return sent.at(-1)!.body;
  };
  expect(await bodyOf("our-best", { reasoning: "high" })).toMatchObject({
    reasoning: { effort: "high" },
    include: ["reasoning.encrypted_content"],
  });
  expect(await bodyOf("our-best", {})).not.toHaveProperty("reasoning");
  expect(await bodyOf("gpt-4o", { reasoning: "high" })).not.toHaveProperty("reasoning");
});

test("Azure accepts a Microsoft Entra token from the environment", async () => {
  answer = azureAnswer;
  await ask("azure/gpt-5", atAzure({ AZURE_OPENAI_AD_TOKEN: "entra-token" }));
  expect(sent[0]!.headers.authorization).toBe("Bearer entra-token");
  expect(sent[0]!.headers["api-key"]).toBeUndefined();
});

test.each([
  ["bedrock, with AWS keys", CLAUDE_ON_BEDROCK, () => atBedrock(AWS_KEYS), bedrockAnswer],
  [
    "bedrock, with a key",
    CLAUDE_ON_BEDROCK,
    () => atBedrock({ AWS_BEARER_TOKEN_BEDROCK: "k" }),
    bedrockAnswer,
  ],
  [
    "Gemini on vertex, with a key",
    "vertex/gemini-2.5-pro",
    () => atVertex({ GOOGLE_VERTEX_API_KEY: "k" }),
    geminiAnswer,
  ],
  ["Gemini on vertex", "vertex/gemini-2.5-pro", () => atVertex({ GOOGLE_CLOUD_PROJECT: "p" }), geminiAnswer],
  ["Claude on vertex", "vertex/claude-opus-5-5", () => atVertex({ GOOGLE_CLOUD_PROJECT: "p" }), claudeAnswer],
  ["azure, with a key", "azure/gpt-5", () => atAzure({ AZURE_API_KEY: "k" }), azureAnswer],
  ["azure, with a token", "azure/gpt-5", () => atAzure({ AZURE_OPENAI_AD_TOKEN: "t" }), azureAnswer],
])("[F41] every byte of an answer by %s counts as activity", async (_, model, config, then) => {
  imitateMetadataServer(then);
  const onBytes = vi.fn();
  await ask(model, config(), { context: { onBytes } });
  expect(onBytes).toHaveBeenCalled();
});

test.each([
  ["bedrock/x", {}, /"bedrock" has no region: set AWS_REGION/],
  ["vertex/gemini-2.5-pro", {}, /"vertex" has no Google Cloud project: set GOOGLE_VERTEX_PROJECT/],
  ["vertex/claude-opus-5-5", { GOOGLE_VERTEX_API_KEY: "k" }, /offers Claude only to a project/],
  ["azure/x", {}, /"azure" has no address: set AZURE_RESOURCE_NAME/],
  ["azure/x", { AZURE_RESOURCE_NAME: "r" }, /"azure" needs a key: set AZURE_API_KEY/],
])("the error for %s with %j says what to set", (name, env, sentence) => {
  expect(() => createModels({ env }).resolve(name)).toThrow(sentence);
});

test("the error for a missing package has the npm command that installs it", () => {
  expect(() => loadOptional("@ai-sdk/nowhere/part", "The cloud")).toThrow(
    /The cloud needs the package @ai-sdk\/nowhere, which cannot be loaded.*npm install .*@ai-sdk\/nowhere( |$)/s,
  );
});

test("the addresses of the clouds follow from the region, the location and the resource", () => {
  const address = (type: "bedrock" | "vertex" | "azure", settings: object): unknown =>
    (providerTypes[type].baseURL as (settings: object, env: object) => unknown)(settings, {});
  expect(address("bedrock", { region: "eu-west-1" })).toBe("https://bedrock-runtime.eu-west-1.amazonaws.com");
  expect(address("bedrock", { region: "cn-north-1" })).toBe(
    "https://bedrock-runtime.cn-north-1.amazonaws.com.cn",
  );
  expect(address("vertex", {})).toBe("https://aiplatform.googleapis.com");
  expect(address("vertex", { location: "eu" })).toBe("https://aiplatform.eu.rep.googleapis.com");
  expect(address("azure", { resource: "acme" })).toBe("https://acme.openai.azure.com/openai");
});

test("`hasKey` is true for a cloud if its sign-in is set up", () => {
  const having = (env: ModelsConfig["env"]) => {
    const models = createModels({ env });
    return ["bedrock", "vertex", "azure"].filter(models.hasKey);
  };
  expect(having({})).toEqual([]);
  expect(having(AWS_KEYS)).toEqual(["bedrock"]);
  expect(having({ GOOGLE_CLOUD_PROJECT: "p" })).toEqual(["vertex"]);
  expect(having({ AZURE_RESOURCE_NAME: "r", AZURE_API_KEY: "k" })).toEqual(["azure"]);
});

test("the doctor's request for the list of models is signed like a model call", async () => {
  imitateMetadataServer(() => ({ body: "{}" }));
  const models = createModels({
    env: {
      ...AWS_KEYS,
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
      GOOGLE_VERTEX_PROJECT: "p",
      AZURE_API_KEY: "k",
    },
    providers: { ...atVertex().providers, ...atAzure({}).providers },
  });
  for (const provider of ["bedrock", "vertex", "azure"]) {
    expect(await models.reach(provider)).toMatchObject({
      reached: { status: 200 },
      hint: expect.any(String),
    });
  }
  const lists = sent.filter(({ path }) => /models/.test(path));
  expect(lists.map(({ path }) => path)).toEqual([
    "/foundation-models",
    "/v1beta1/publishers/google/models",
    "/openai/v1/models?api-version=v1",
  ]);
  expect(lists[0]!.headers.authorization).toMatch(/^AWS4-HMAC-SHA256/);
  expect(lists[1]!.headers.authorization).toBe("Bearer adc-token");
  expect(lists[2]!.headers["api-key"]).toBe("k");
});

test.each(
  "AWS_BEARER_TOKEN_BEDROCK AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GOOGLE_VERTEX_API_KEY AZURE_API_KEY AZURE_OPENAI_API_KEY AZURE_OPENAI_AD_TOKEN AZURE_CLIENT_SECRET".split(
    " ",
  ),
)("the value of %s is masked", (name) => {
  const value = "Zq7Zq7Zq7Zq7Zq7";
  expect(settingSecrets({}, { [name]: value })).toContainEqual({ name, value });
});
