// Tests what each provider's request contains if a message and a tool result have files.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { PDF, PNG } from "../../../test/support/sample-files.ts";
import { createModels, type ProviderConfig } from "../registry.ts";

const file = (filename: string, mediaType: string, bytes: Buffer) => ({
  type: "file" as const,
  filename,
  mediaType,
  data: { type: "data" as const, data: bytes.toString("base64") },
});
const value = [{ type: "text" as const, text: "a.png" }, file("a.png", "image/png", PNG)];
const prompt: LanguageModelV4Prompt = [
  { role: "user", content: [{ type: "text", text: "look" }, file("b.png", "image/png", PNG)] },
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "Read", input: {} }] },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c", toolName: "Read", output: { type: "content", value } }],
  },
];

/** Sends the prompt to a server of our own, and returns the body of the request. */
async function requestTo(name: string): Promise<Record<string, unknown[]>> {
  let body = "";
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => response.writeHead(400).end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const models = createModels({
    env: { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", GEMINI_API_KEY: "g" },
    providers: {
      anthropic: { type: "anthropic", baseURL: url },
      openai: { type: "openai", baseURL: url },
      google: { type: "google", baseURL: url },
      local: { type: "openai-compatible", baseURL: url },
    },
  });
  const context = { agent: "a", runId: "r", tree: "r", turn: 1, attempt: 1, purpose: "turn", round: 0 };
  await Promise.resolve(
    models.resolve(name).doStream({ prompt, providerOptions: { cadre: context as never } }),
  ).catch(() => {});
  server.close();
  return JSON.parse(body) as Record<string, unknown[]>;
}

const base64 = PNG.toString("base64");

test("Anthropic gets a result's image inside the result", async () => {
  const { messages } = await requestTo("anthropic/claude-sonnet-4-5");
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: base64 } };
  expect(messages).toMatchObject([
    { content: [{ text: "look" }, image] },
    {},
    { content: [{ type: "tool_result", content: [{ type: "text", text: "a.png" }, image] }] },
  ]);
});

test("OpenAI gets a result's image inside the result", async () => {
  const { input } = await requestTo("openai/gpt-5");
  const image = { type: "input_image", image_url: `data:image/png;base64,${base64}` };
  expect(input!.at(-1)).toMatchObject({ output: [{ type: "input_text", text: "a.png" }, image] });
});

test("Gemini gets exactly one response for each call, and the result's image in the same message", async () => {
  const image = { inlineData: { mimeType: "image/png", data: base64 } };
  const older = (await requestTo("google/gemini-2.5-pro"))["contents"]!.at(-1) as { parts: object[] };
  expect(older.parts.filter((part) => "functionResponse" in part)).toHaveLength(1);
  expect(older.parts).toContainEqual(image);
  const newer = (await requestTo("google/gemini-3-pro-preview"))["contents"]!.at(-1);
  expect(newer).toMatchObject({ parts: [{ functionResponse: { parts: [image] } }] });
});

test("a compatible server gets a result's image in the message that follows the result", async () => {
  const { messages } = await requestTo("local/claude-x");
  expect(messages!.slice(-2)).toEqual([
    { role: "tool", tool_call_id: "c", content: "a.png" },
    {
      role: "user",
      content: [
        { type: "text", text: "[a.png]" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } },
      ],
    },
  ]);
});

test.each<[string, Partial<ProviderConfig>, string[]]>([
  ["anthropic/claude-new", {}, ["png", "jpeg", "gif", "webp", "pdf"]],
  ["anthropic/claude-new", { vision: false }, []],
  ["openai/gpt-9", {}, ["png", "jpeg", "gif", "webp", "pdf"]],
  ["openai/o3-mini", {}, []],
  ["google/gemini-2.5-pro", {}, ["png", "jpeg", "webp", "pdf"]],
  ["ollama/qwen3", {}, []],
  ["ollama/qwen3", { vision: true }, ["png", "jpeg", "gif", "webp"]],
  ["openrouter/anthropic/claude-opus-5", {}, ["png", "jpeg", "gif", "webp"]],
])("%s with %o can see %o", (name, settings, types) => {
  const provider = name.split("/")[0]!;
  const kinds = { ollama: "openai-compatible", openrouter: "openai-compatible" } as const;
  const type = (kinds[provider as keyof typeof kinds] ?? provider) as ProviderConfig["type"];
  const models = createModels({ env: {}, providers: { [provider]: { type, ...settings } } });
  expect([...models.acceptedFiles(name)].map((each) => each.split("/")[1])).toEqual(types);
});

test("a PDF is sent to OpenAI with its name", async () => {
  prompt.push({ role: "user", content: [file("b.pdf", "application/pdf", PDF)] });
  const { input } = await requestTo("openai/gpt-5");
  expect(input!.at(-1)).toMatchObject({ content: [{ type: "input_file", filename: "b.pdf" }] });
});
