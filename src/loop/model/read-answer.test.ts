import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import type { Model } from "../../models/model.ts";
import { bashIn } from "../../tools/bash.fixture.ts";
import { editTool } from "../../tools/edit.ts";
import { grepTool } from "../../tools/grep.ts";
import { inputSchemaOf } from "../../tools/input-schema.ts";
import { readTool } from "../../tools/read.ts";
import { writeTool } from "../../tools/write.ts";
import { forgiveInput, readStream } from "./read-answer.ts";

const tools = new Map(
  [readTool, grepTool, editTool, writeTool, bashIn("none")].map((tool) => [tool.name, tool]),
);
const forgive = (toolName: string, input: unknown) => forgiveInput({ toolName, input }, tools, inputSchemaOf);

test.each([
  ["another name of a property", "Read", { file_path: "a" }, { path: "a" }],
  ["a number as text", "Read", { path: "a", offset: "2" }, { path: "a", offset: 2 }],
  ["a truth value as text", "Grep", { query: "x", ignore_case: "true" }, { pattern: "x", ignore_case: true }],
  ["an explanation", "Read", { path: "a", explanation: "to see it" }, { path: "a" }],
  [
    "a command-line option",
    "Grep",
    { pattern: "x", "-n": true, "-C": 1, "-i": true, head_limit: "5", output_mode: "content" },
    { pattern: "x", context: 1, ignore_case: true, max: 5 },
  ],
  ["another word", "Bash", { command: "x", run_in_background: true }, { command: "x", background: true }],
  ["null for an absent value", "Read", { path: "a", limit: null }, { path: "a" }],
  [
    "another spelling",
    "Edit",
    { filePath: "a", oldString: "b", newString: "c" },
    { path: "a", old_string: "b", new_string: "c" },
  ],
])("%s is corrected", (_, name, input, corrected) => {
  expect(forgive(name, input)).toEqual({ toolName: name, input: corrected });
});

test("a tool name in the wrong case is corrected", () => {
  expect(forgive("read", { path: "a" })).toEqual({ toolName: "Read", input: { path: "a" } });
});

test("a valid call is not changed, and neither is a call that cannot be corrected", () => {
  expect(forgive("Read", { path: "a" })).toBeUndefined();
  expect(forgive("Read", { something: "else" })).toBeUndefined();
  expect(forgive("Read", { path: "a", file_path: "b" })).toBeUndefined();
  expect(forgive("Write", { path: "a", content: 1 })).toBeUndefined();
  expect(forgive("Unknown", {})).toBeUndefined();
});

const BIG = "x".repeat(1_000_000);
const ENDLESS: [string, (index: number) => LanguageModelV4StreamPart][] = [
  ["the input of one call", () => ({ type: "tool-input-delta", id: "a", delta: BIG })],
  ["the inputs of many calls", (index) => ({ type: "tool-input-delta", id: `${index}`, delta: BIG })],
  ["complete calls", () => ({ type: "tool-call", toolCallId: "a", toolName: "Read", input: BIG })],
  ["names of tools", (index) => ({ type: "tool-input-start", id: `${index}`, toolName: BIG })],
  [
    "signatures of thoughts",
    () => ({ type: "reasoning-end", id: "a", providerMetadata: { a: { signature: BIG } } }),
  ],
  ["texts", () => ({ type: "text-delta", id: "a", delta: BIG })],
  ["empty parts", (index) => ({ type: "text-start", id: `${index}` })],
];

test.each(ENDLESS)(
  "[30.17] [A44] an answer that streams %s without end is dropped at a limit",
  async (_, make) => {
    let sent = 0;
    let isCancelled = false;
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      pull(controller) {
        if (sent > 300_000) return controller.error(new Error("Cadre took everything"));
        for (const end = sent + 20; sent < end; sent++) controller.enqueue(make(sent));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const outcome = await readStream({ doStream: async () => ({ stream }) } as unknown as Model, {
      call: { prompt: [] },
      onText() {},
      onReasoning() {},
      onActivity() {},
      idleMs: 60_000,
      silenceError: () => new Error("silent"),
      cutStreamError: () => new Error("cut"),
      refusalError: () => new Error("refused"),
    });
    expect(outcome).toMatchObject({ type: "failed", error: { message: "cut" } });
    expect(isCancelled).toBe(true);
  },
);
