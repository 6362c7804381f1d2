import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { classifyFailure } from "../classify-failure.ts";
import type { CallContext, Failure } from "../model.ts";
import { createScriptedModel } from "./model.ts";
import { parseScript, type Script, type ScriptedTurn } from "./script.ts";

type Result = Extract<LanguageModelV4Prompt[number], { role: "tool" }>["content"][number] & {
  type: "tool-result";
};

const user = (text: string): LanguageModelV4Prompt[number] => ({
  role: "user",
  content: [{ type: "text", text }],
});

const result = (toolName: string, output: Result["output"] | string): LanguageModelV4Prompt[number] => ({
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: "c",
      toolName,
      output: typeof output === "string" ? { type: "text", value: output } : output,
    },
  ],
});

function call(place: Partial<CallContext> = {}, prompt: LanguageModelV4Prompt = [user("fix the bug")]) {
  const cadre = { agent: "main", runId: "r1", turn: 1, attempt: 1, purpose: "turn", ...place };
  return { prompt, providerOptions: { cadre } } satisfies LanguageModelV4CallOptions;
}

async function play(script: Script, options: LanguageModelV4CallOptions = call()) {
  const parts: LanguageModelV4StreamPart[] = [];
  let failure: Failure | undefined;
  try {
    const { stream } = await createScriptedModel(script).doStream(options);
    for await (const part of stream) parts.push(part);
  } catch (error) {
    failure = classifyFailure(error, 1, 0);
  }
  const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  const finish = parts.find((part) => part.type === "finish");
  return { parts, text, failure, finish, calls: parts.filter((part) => part.type === "tool-call") };
}

const one = (turn: ScriptedTurn): Script => ({ name: "demo", turns: [turn] });

test("reasoning, text, calls and a report of a scripted model arrive in the same order as from a provider", async () => {
  const turn = {
    reasoning: "thinking",
    text: "Let me look at the log.",
    calls: [{ tool: "Read", input: { path: "a" } }, { tool: "Now" }],
    report: { summary: "done", output: { ok: true } },
    usage: { input: 100, output: 20 },
  };
  const { parts, text, finish, calls } = await play(one(turn));
  expect(text).toBe("Let me look at the log.");
  expect(parts[0]).toEqual({ type: "stream-start", warnings: [] });
  expect(parts.filter((part) => part.type === "reasoning-delta")).toEqual([
    { type: "reasoning-delta", id: "0", delta: "thinking" },
  ]);
  expect(calls).toEqual([
    { type: "tool-call", toolCallId: "call_1_1", toolName: "Read", input: '{"path":"a"}' },
    { type: "tool-call", toolCallId: "call_1_2", toolName: "Now", input: "{}" },
    {
      type: "tool-call",
      toolCallId: "call_1_3",
      toolName: "final_report",
      input: '{"summary":"done","output":{"ok":true}}',
    },
  ]);
  expect(finish).toMatchObject({
    finishReason: { unified: "tool-calls" },
    usage: { inputTokens: { total: 100 }, outputTokens: { total: 20 } },
  });
  expect(parts.at(-1)).toBe(finish);
});

test("scripted text is streamed in a few deltas or in chunks of a given size; without calls, the finish reason is stop", async () => {
  const long = "x".repeat(1_000);
  const few = await play(one({ text: long }));
  expect(few.parts.filter((part) => part.type === "text-delta")).toHaveLength(4);
  expect(few.finish).toMatchObject({ finishReason: { unified: "stop" } });
  const chunked = await play(one({ text: "abcdefgh", chunk: 3 }));
  expect(chunked.parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []))).toEqual([
    "abc",
    "def",
    "gh",
  ]);
});

test("an empty scripted text gives an empty answer, and usage is estimated if the script contains none", async () => {
  const { parts, finish } = await play(one({ text: "" }));
  expect(parts.map((part) => part.type)).toEqual(["stream-start", "finish"]);
  expect(finish).toMatchObject({ usage: { inputTokens: { total: 50 }, outputTokens: { total: 0 } } });
});

const answered = [user("fix the bug"), result("Read", "error: E42 at line 3"), user("go on")];
const refused = [user("t"), result("Bash", { type: "execution-denied", reason: "not today" })];

test.each<[NonNullable<ScriptedTurn["when"]>, LanguageModelV4CallOptions, boolean]>([
  [{}, call(), true],
  [{ agent: "main" }, call(), true],
  [{ agent: "main" }, call({ agent: "other" }), false],
  [{ turn: 2 }, call({ turn: 2 }), true],
  [{ turn: 2 }, call({ turn: 3 }), false],
  [{ attempt: 2 }, call({ attempt: 2 }), true],
  [{ attempt: 1 }, call({ attempt: 2 }), false],
  [{ purpose: "final" }, call({ purpose: "final" }), true],
  [{ purpose: "final" }, call(), false],
  [{ task: "the bug" }, call({}, answered), true],
  [{ task: "go on" }, call({}, answered), false],
  [{ lastUser: "go on" }, call({}, answered), true],
  [{ lastUser: "the bug" }, call({}, answered), false],
  [{ lastTool: "Read" }, call({}, answered), true],
  [{ lastTool: "Bash" }, call({}, answered), false],
  [{ lastTool: "Read" }, call(), false],
  [{ lastResult: "E42" }, call({}, answered), true],
  [{ lastResult: "E43" }, call({}, answered), false],
  [{ lastResult: "/e\\d+ AT/i" }, call({}, answered), true],
  [{ lastResult: "/^E/" }, call({}, answered), false],
  [{ lastResult: "not today" }, call({}, refused), true],
  [{ isError: true }, call({}, refused), true],
  [{ isError: false }, call({}, answered), true],
  [{ isError: true }, call({}, [result("Read", { type: "error-text", value: "x" })]), true],
  [{ isError: true }, call({}, [result("Read", { type: "json", value: 1 })]), false],
  [{ isError: false }, call(), false],
  [{ lastResult: '"n":1' }, call({}, [result("Read", { type: "json", value: { n: 1 } })]), true],
])("a scripted turn is chosen by its condition %j", async (when, options, fits) => {
  const { text } = await play({ turns: [{ when, text: "this one" }, { text: "that one" }] }, options);
  expect(text).toBe(fits ? "this one" : "that one");
});

test("a script's regular expression with the flag g matches the same prompt every time", async () => {
  const model = createScriptedModel(one({ when: { lastResult: "/E42/g" }, text: "yes" }));
  await model.doGenerate(call({}, answered));
  expect((await model.doGenerate(call({}, answered))).content).toEqual([{ type: "text", text: "yes" }]);
});

test("a call for which the script has no turn fails with a message that describes the call, and is not retried", async () => {
  const { failure } = await play(
    one({ when: { turn: 1 }, text: "x" }),
    call({ agent: "scout", turn: 3 }, answered),
  );
  expect(failure?.cause).toBe("rejected");
  expect(failure).not.toHaveProperty("after");
  expect(failure?.message).toMatch(
    /script "demo".*no line for agent "scout", turn 3.*after a result of Read/,
  );
});

test("[F40] scripted errors are classified like a provider's errors", async () => {
  const failure = async (error: ScriptedTurn["error"]) => (await play(one({ error }))).failure;
  expect(await failure({ status: 429, message: "slow", retryAfter: 7 })).toMatchObject({
    cause: "rate_limit",
    after: 7_000,
  });
  expect(await failure({ message: "oops" })).toMatchObject({ cause: "overloaded", after: 500 });
  expect(await failure({ status: 400, message: "no" })).not.toHaveProperty("after");
  expect(await failure({ status: 401, message: "no" })).toMatchObject({ cause: "auth" });
  expect(await failure("network")).toMatchObject({ cause: "network", after: 500 });
  expect(await failure("timeout")).toMatchObject({ cause: "timeout", after: 500 });
});

test("[F41] `cut: stream` breaks the stream in the middle of JSON, after the earlier parts", async () => {
  const turn: ScriptedTurn = {
    text: "I write.",
    calls: [{ tool: "Write", input: { path: "a" } }],
    cut: "stream",
  };
  const { text, calls, parts, failure, finish } = await play(one(turn));
  expect(text).toBe("I write.");
  expect(calls).toEqual([]);
  expect(finish).toBeUndefined();
  const json = parts.flatMap((part) => (part.type === "tool-input-delta" ? [part.delta] : [])).join("");
  expect('{"path":"a"}').toContain(json);
  expect(() => JSON.parse(json)).toThrow();
  expect(failure).toMatchObject({ cause: "network", after: 500 });
  const spoken = await play(one({ text: "half of it", cut: "stream" }));
  expect(spoken.text).toBe("half ");
});

test("[F41] `cut: length` and `cut: silent` end the stream after calls that look complete", async () => {
  const calls = [{ tool: "Write", input: {} }];
  const length = await play(one({ calls, cut: "length" }));
  expect(length.calls).toHaveLength(1);
  expect(length.finish).toMatchObject({ finishReason: { unified: "length" } });
  const silent = await play(one({ calls, cut: "silent" }));
  expect(silent.calls).toHaveLength(1);
  expect(silent.finish).toBeUndefined();
  expect(silent.failure).toBeUndefined();
});

test("[F42] a scripted call can have invalid JSON, an empty name, a repeated id or half a surrogate pair", async () => {
  const { calls } = await play(
    one({
      calls: [
        { tool: "", raw: '{"a":' },
        { tool: "Write", id: "same", input: { text: "\ud800" } },
        { tool: "Write", id: "same", input: null },
      ],
    }),
  );
  expect(calls.map(({ toolName, toolCallId, input }) => [toolName, toolCallId, input])).toEqual([
    ["", "call_1_1", '{"a":'],
    ["Write", "same", '{"text":"\\ud800"}'],
    ["Write", "same", "null"],
  ]);
});

test("doGenerate of a scripted model gives the same answer as doStream", async () => {
  const model = createScriptedModel(one({ text: "hi", calls: [{ tool: "Now" }] }));
  expect(await model.doGenerate(call())).toMatchObject({
    content: [{ type: "text", text: "hi" }, { toolName: "Now" }],
    finishReason: { unified: "tool-calls" },
    warnings: [],
  });
  const silent = createScriptedModel(one({ text: "hi", cut: "silent" }));
  expect((await silent.doGenerate(call())).finishReason.unified).toBe("interrupted");
  const broken = createScriptedModel(one({ text: "hi", cut: "stream" }));
  await expect(broken.doGenerate(call())).rejects.toThrow("other side closed");
});

test("placeholders in scripted text and input are replaced with data of the call; unknown placeholders stay", async () => {
  const turn = {
    text: `\${agent} saw: \${lastResult}`,
    calls: [{ tool: "Bash", input: { command: [`echo \${HOME}`, `\${task}`] } }],
  };
  const { text, calls } = await play(one(turn), call({}, answered));
  expect(text).toBe("main saw: error: E42 at line 3");
  expect(calls[0]?.input).toBe(`{"command":["echo \${HOME}","fix the bug"]}`);
});

test("a scripted answer is delayed by the time in the script, and an abort ends the delay immediately", async () => {
  const model = createScriptedModel(one({ text: "late", delay: 30 }));
  const started = performance.now();
  await model.doStream(call());
  expect(performance.now() - started).toBeGreaterThanOrEqual(28);

  const slow = createScriptedModel(one({ text: "late", delay: 3_600_000 }));
  const stop = new AbortController();
  const waiting = Promise.resolve(slow.doStream({ ...call(), abortSignal: stop.signal }));
  setImmediate(() => stop.abort(new DOMException("stopped", "AbortError")));
  const error: unknown = await waiting.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "AbortError", message: "stopped" });
  await expect(slow.doStream({ ...call(), abortSignal: AbortSignal.abort() })).rejects.toThrow();
});

test("each call of a scripted model takes at least one turn of the event loop", async () => {
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  await createScriptedModel(one({ text: "x" })).doStream(call());
  expect(turned).toBe(true);
});

test("scripted answers are deterministic: earlier calls do not affect them", async () => {
  const script = parseScript(
    "turns:\n  - { when: { turn: 1 }, text: first }\n  - { when: { attempt: 1 }, error: network }\n  - text: later\n",
    "s.yaml",
  );
  const model = createScriptedModel(script);
  const places = [{ turn: 1 }, { turn: 2 }, { turn: 2, attempt: 2 }, { turn: 1 }];
  const answer = async (place: Partial<CallContext>) =>
    Promise.resolve(model.doStream(call(place)))
      .then(({ stream }) => Array.fromAsync(stream))
      .catch((error: unknown) => classifyFailure(error, 1, 0));
  const forward = await Promise.all(places.map(answer));
  const backward = await Promise.all(places.toReversed().map(answer));
  expect(backward.toReversed()).toEqual(forward);
  expect(forward[3]).toEqual(forward[0]);
});

test("a script can be a function of the request", async () => {
  const script: Script = ({ agent, turn, lastTool }) =>
    lastTool === undefined ? undefined : { text: `${agent} ${turn} ${lastTool}` };
  expect((await play(script, call({ turn: 4 }, answered))).text).toBe("main 4 Read");
  expect((await play(script)).failure?.cause).toBe("rejected");
});

test("a script function gets the length of the whole request, including the tools", async () => {
  const seen: number[] = [];
  const model = createScriptedModel(({ characters }) => {
    seen.push(characters);
    return { text: "" };
  });
  const tools = [{ type: "function" as const, name: "look", inputSchema: {} }];
  await model.doGenerate(call({}, [user("a")]));
  await model.doGenerate(call({}, [user("a".repeat(101))]));
  await model.doGenerate({ ...call({}, [user("a")]), tools });
  expect(seen[1]! - seen[0]!).toBe(100);
  expect(seen[2]! - seen[0]!).toBe(JSON.stringify(tools).length - "[]".length);
});

test("the id of a scripted model is the given name, or else the name of the script", () => {
  const named = createScriptedModel(one({ text: "x" }));
  expect(named).toMatchObject({ specificationVersion: "v4", provider: "scripted", modelId: "demo" });
  expect(createScriptedModel(one({ text: "x" }), { name: "other" }).modelId).toBe("other");
});
