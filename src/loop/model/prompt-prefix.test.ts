import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { digest } from "../../stores/hashes.ts";
import { fingerprintPrompt, type Prompt } from "./prompt-prefix.ts";

const says = (...texts: string[]): LanguageModelV4Prompt =>
  texts.map((text) => ({ role: "user", content: [{ type: "text", text }] }));

const prompt: Prompt = { tools: [], system: "You help.", messages: says("one") };
const before = fingerprintPrompt(prompt, undefined, digest);

const broken = (change: Partial<Prompt>) => fingerprintPrompt({ ...prompt, ...change }, before, digest).broke;

test("a prompt that extends the previous prompt leaves the cached prefix intact", () => {
  expect(broken({ messages: says("one", "two") })).toBeUndefined();
});

test("a timestamp in the system prompt is reported as the change", () => {
  expect(broken({ system: "You help. It is 12:01.", messages: says("one", "two") })).toBe("system");
});

test("a new tool is reported before any other change to the prompt", () => {
  const tool = { type: "function", name: "Read", inputSchema: {} } as const;
  expect(broken({ tools: [tool], system: "changed" })).toBe("tools");
});

test("a changed or missing earlier message is reported as the change", () => {
  expect(broken({ messages: says("ONE", "two") })).toBe("messages");
  expect(broken({ messages: [] })).toBe("messages");
});

test("older files that the prompt leaves out are reported as the change, once", () => {
  const files = { messages: says("one", "two"), leftOut: ["blob1"] };
  expect(broken(files)).toBe("files");
  const next = { ...prompt, ...files, messages: says("one", "two", "three") };
  expect(fingerprintPrompt(next, fingerprintPrompt({ ...prompt, ...files }, before, digest), digest)).toEqual(
    expect.not.objectContaining({ broke: expect.anything() }),
  );
});
