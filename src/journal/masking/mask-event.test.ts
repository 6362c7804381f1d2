import { expect, test } from "vitest";
import type { EventBody } from "../events.ts";
import type { ThoughtPart } from "../message.ts";
import { createMask, maskEvent } from "./mask.ts";

const SECRET = "hunter2-hunter2";
const mask = createMask({ list: () => [{ name: "KEY", value: SECRET }], hasChanged: () => false });

/** Data that looks like a secret in every way: by its value, and by the shape of a well-known token. */
const opaque = { anthropic: { signature: `Ev${SECRET}AKIAIOSFODNN7EXAMPLE==` } };

type Thought = Extract<EventBody, { type: "AGENT_THOUGHT" }>;

const thought = (...content: ThoughtPart[]): Thought => ({
  type: "AGENT_THOUGHT",
  payload: { callId: "m1", content, usage: { input: 1, output: 1 }, cost: 0, finish: "stop", ms: 1 },
});

const contentOf = (event: Thought): ThoughtPart[] => maskEvent(event, mask).payload.content;

test("[A61] signatures and encrypted reasoning are stored as the provider sent them", () => {
  const event = thought(
    { type: "reasoning", text: "I look.", providerOptions: opaque },
    { type: "text", text: "I look.", providerOptions: opaque },
    { type: "tool-call", toolCallId: "c1", toolName: "Read", input: { path: "a" }, providerOptions: opaque },
  );
  expect(maskEvent(event, mask)).toBe(event);
});

test("[A61] if the reasoning contains a secret, the thought keeps no reasoning; texts and calls keep their provider data", () => {
  const event = thought(
    { type: "reasoning", text: `The key is ${SECRET}.`, providerOptions: opaque },
    { type: "text", text: `It is ${SECRET}.`, providerOptions: opaque },
    { type: "reasoning", text: "Now I read.", providerOptions: opaque },
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "Read",
      input: { path: SECRET },
      providerOptions: opaque,
    },
  );
  const masked = contentOf(event);
  expect(masked).toEqual([
    { type: "text", text: "It is ⟦secret KEY⟧.", providerOptions: opaque },
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "Read",
      input: { path: "⟦secret KEY⟧" },
      providerOptions: opaque,
    },
  ]);
  expect(contentOf(thought(...masked)), "a second pass changes nothing").toEqual(masked);
});

test("[A61] only the provider data of a thought stays unmasked; a tool's result with the same key is masked", () => {
  const event: EventBody = {
    type: "TOOL_RESULT",
    payload: {
      toolCallId: "m1.0",
      outcome: "ok",
      output: {
        type: "AGENT_THOUGHT",
        payload: { content: [{ type: "text", text: "", providerOptions: opaque }] },
      },
    },
  };
  expect(JSON.stringify(maskEvent(event, mask))).not.toContain(SECRET);
});

test("[A61] [31.3] a thought without secrets is searched once, and again as soon as the secrets have changed", () => {
  const secrets: { name: string; value: string }[] = [];
  let searches = 0;
  const live = createMask({
    list: () => secrets,
    hasChanged: () => true,
  });
  const later = "written-later-1";
  const input = {
    get path() {
      searches++;
      return "a";
    },
    [later]: "b",
  };
  const event = thought({ type: "tool-call", toolCallId: "c1", toolName: "Read", input });
  expect(maskEvent(maskEvent(event, live), live)).toBe(event);
  expect(searches).toBe(1);
  secrets.push({ name: "LATER", value: later });
  live.refresh();
  expect(JSON.stringify(maskEvent(event, live))).not.toContain(later);
});
