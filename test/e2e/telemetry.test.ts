// The traces that the real command line sends to a real receiver.

import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agent, type Project, project } from "../../src/cli/cli.fixture.ts";
import {
  attribute,
  openReceiver,
  outline,
  type ReceivedSpan,
  type Receiver,
} from "../support/otlp-receiver.ts";

/** The clerk's first model call gets no answer, so that the test can kill the process during this call. */
const DESK = `turns:
  - { when: { agent: lead, turn: 1 }, calls: [{ tool: delegate, input: { agent: clerk, task: look at violet } }] }
  - { when: { agent: lead }, report: { summary: The lead is done. } }
  - { when: { agent: clerk, turn: 1, attempt: 1 }, delay: 600000, text: Never. }
  - { when: { agent: clerk, turn: 1 }, calls: [{ tool: Read, input: { path: note.txt } }] }
  - { when: { agent: clerk }, report: { summary: The clerk is done. } }
`;
const ALONE = `turns:
  - { when: { turn: 1 }, calls: [{ tool: Read, input: { path: note.txt } }] }
  - { report: { summary: Indigo. } }
`;

let p: Project;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
  p = await project({
    "agents/lead.md": agent("lead", "agents: [clerk]\ntools: []\n").replace("scripted/lead", "scripted/desk"),
    "agents/clerk.md": agent("clerk", "kind: subagent\n").replace("scripted/clerk", "scripted/desk"),
    "agents/alone.md": agent("alone"),
    "desk.script.yaml": DESK,
    "alone.script.yaml": ALONE,
    "note.txt": "hush-hush-4711 and turquoise\n",
  });
  p.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.url;
});
afterEach(async () => {
  await p[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

test("[TL1] [TR1] [TR2] [TR3] [S1-65] the work of two processes on a tree appears as one trace, even if the first process was killed during an export", async () => {
  const first = p.start("run", "lead", "paint it violet", "--json");
  receiver.answer = async () => {
    await first.shows(/MODEL_CALL_STARTED[\s\S]*MODEL_CALL_STARTED/); // The second is the clerk's.
    first.process.kill("SIGKILL");
    return undefined;
  };
  await once(first.process, "close");
  const before = receiver.spans.splice(0);
  expect(before.map(({ name }) => name)).toContain("chat desk");
  receiver.answer = () => 200;
  expect((await p.spawn("run", "--json")).code).toBe(0);

  expect(outline(receiver.spans)).toEqual([
    "invoke_agent lead",
    "  step 1",
    "    chat desk",
    "    invoke_agent clerk",
    "      step 1",
    "        chat desk ! interrupted",
    "        chat desk",
    "        execute_tool Read",
    "      step 2",
    "        chat desk",
    "    wait child",
    "  step 2",
    "    chat desk",
  ]);
  const ids = receiver.spans.map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
  // The second process sends the spans of the dead process again, with the same content.
  for (const span of before) expect(receiver.spans).toContainEqual(span);
  expectInside(receiver.spans);
  for (const word of ["violet", "turquoise", "done"])
    expect(receiver.requests.map(({ body }) => body).join()).not.toContain(word);
});

test("[TL1] if the receiver is down, the run still succeeds; the next process sends the missed spans once", async () => {
  receiver.answer = () => 503;
  const away = await p.cadre("run", "alone", "look");
  expect(away.code).toBe(0);
  expect(receiver.requests.length).toBeGreaterThan(0);
  const missed = receiver.spans.splice(0);
  receiver.answer = () => 200;
  expect((await p.cadre("run", "alone", "look again")).code).toBe(0);
  expect(receiver.spans.filter(({ name }) => name === "invoke_agent alone")).toHaveLength(2);
  expect(receiver.spans).toEqual(expect.arrayContaining(missed));
  expect((await p.cadre("run", "alone", "a third time")).code).toBe(0);
  const ids = receiver.spans.map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("[TL3] spans contain tasks, inputs and results only if the user enables this, and never contain secrets; attributes use the GenAI names", async () => {
  p.env["HUSH_TOKEN"] = "hush-hush-4711";
  p.env["OTEL_EXPORTER_OTLP_HEADERS"] = "x-team=sesame%20opens";
  p.env["OTEL_SERVICE_NAME"] = "desk";
  expect((await p.cadre("run", "alone", "find indigo")).code).toBe(0);
  const [{ path, headers, body } = { path: "", headers: {}, body: "" }] = receiver.requests;
  expect(path).toBe("/v1/traces");
  expect(headers).toMatchObject({ "content-type": "application/json", "x-team": "sesame opens" });
  expect(body).toContain('"stringValue":"desk"');
  const chat = spanNamed(receiver.spans, "chat alone");
  expect(attribute(chat, "gen_ai.operation.name")).toBe("chat");
  expect(attribute(chat, "gen_ai.provider.name")).toBe("scripted");
  expect(attribute(chat, "gen_ai.usage.input_tokens")).toMatch(/^\d+$/);
  expect(attribute(spanNamed(receiver.spans, "execute_tool Read"), "gen_ai.tool.call.id")).toBe("m1.0");
  expect(JSON.stringify(receiver.spans)).not.toMatch(/indigo|turquoise|hush-hush/i);

  receiver.spans.splice(0);
  p.env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true";
  expect((await p.cadre("run", "alone", "find indigo")).code).toBe(0);
  const read = spanNamed(receiver.spans, "execute_tool Read");
  expect(attribute(read, "gen_ai.tool.call.arguments")).toBe('{"path":"note.txt"}');
  expect(attribute(read, "gen_ai.tool.call.result")).toMatch(/⟦secret HUSH_TOKEN⟧ and turquoise/);
  expect(attribute(spanNamed(receiver.spans, "invoke_agent alone"), "gen_ai.input.messages")).toContain(
    "find indigo",
  );
  expect(JSON.stringify(receiver.spans)).not.toContain("hush-hush");
});

test("[TL1] if the receiver permanently rejects spans, Cadre reports this and does not send the spans again", async () => {
  receiver.answer = () => 400;
  const { code, stderr } = await p.spawn("run", "alone", "look");
  expect(code).toBe(0);
  expect(stderr).toMatch(/refused \d+ spans; they are not sent again\. 127\.0\.0\.1:\d+ answered 400/);
  receiver.answer = () => 200;
  receiver.spans.splice(0);
  expect((await p.cadre("run", "alone", "look again")).code).toBe(0);
  expect(receiver.spans.filter(({ name }) => name === "invoke_agent alone")).toHaveLength(1);
});

const spanNamed = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan =>
  spans.find((span) => span.name === name)!;

/** Checks that every span starts and ends within the time of its parent span. */
function expectInside(spans: readonly ReceivedSpan[]): void {
  const known = new Map(spans.map((span) => [span.spanId, span]));
  for (const span of spans) {
    const parent = span.parentSpanId === undefined ? span : known.get(span.parentSpanId)!;
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent.startTimeUnixNano));
    expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(parent.endTimeUnixNano));
  }
}
