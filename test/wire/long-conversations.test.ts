// Tests conversations that are longer than the model's context. The simulated provider refuses prompts over its window, as the real ones do.

import { describe, expect } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/tools/tool.ts";
import { payloadsOf } from "../support/scenario.ts";
import { tokensIn } from "../support/wire/caches.ts";
import { prefixBreaks } from "../support/wire/prefix-breaks.ts";
import type { Answer, AnswerPart, ProtocolName, Respond } from "../support/wire/protocol.ts";
import type { WireRequest } from "../support/wire/server.ts";
import { type WireScenarioOptions, wireScenario } from "../support/wire/wire-scenario.ts";

/** Every page is different. Otherwise the agent would be stopped for repeating itself. */
const page = defineTool({
  name: "page",
  description: "Reads one page.",
  input: z.object({ number: z.number(), kilobytes: z.number() }),
  effect: "read",
  reaches: [],
  execute: async ({ number, kilobytes }) => ({
    output: `Page ${number}. ${`Line of page ${number}, says this. `.repeat(kilobytes * 35)}`.slice(
      0,
      kilobytes * 1_000,
    ),
  }),
});

const openaiError = (message: string, code: string | null) => ({
  error: { message, type: "invalid_request_error", param: null, code },
});

/** What each provider answers to a prompt that is too long. */
const REFUSALS: Record<ProtocolName, (tokens: number, window: number) => Answer["error"]> = {
  anthropic: (tokens, window) => ({
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
      },
    },
  }),
  responses: () => ({
    status: 400,
    body: openaiError(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
  }),
  chat: (tokens, window) => ({
    status: 400,
    body: openaiError(
      `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`,
      "context_length_exceeded",
    ),
  }),
  google: (tokens, window) => ({
    status: 400,
    body: {
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`,
      },
    },
  }),
};

/** A model with this window that works for a number of turns, and then answers. `work` returns the parts of a turn. */
const withWindow =
  (
    window: number,
    turns: number,
    work: (turn: number) => AnswerPart[],
    refusal: (tokens: number) => Answer["error"] | undefined = () => undefined,
  ): Respond =>
  ({ body, provider, last, call }) => {
    const tokens = tokensIn(body);
    if (tokens > window) return { error: refusal(tokens) ?? REFUSALS[provider](tokens, window)! };
    if (last.includes("Summarise it for yourself"))
      return { parts: [{ text: `I have read pages up to turn ${call!.turn}.` }] };
    if (call!.turn > turns) return { parts: [{ text: "All pages are read." }] };
    return { parts: [{ thinking: `I am in turn ${call!.turn}.` }, ...work(call!.turn)] };
  };

const readOne =
  (kilobytes: number) =>
  (turn: number): AnswerPart[] => [
    { text: `I read page ${turn}.` },
    { call: "page", input: { number: turn, kilobytes } },
  ];

/** Runs the job to its end. Checks that no request was rejected, and that earlier messages change only when the prompt is shortened. */
function job(title: string, options: WireScenarioOptions, check?: (requests: WireRequest[]) => void): void {
  wireScenario(title, { agent: "maxTurns: 60", more: [page], ...options }, async (world, { requests }) => {
    const runId = await world.run("Read the pages of the ZEBRA book.");
    const { end, turns } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", summary: "All pages are read." });
    expect(turns).toBe(41);
    expect(requests.flatMap(({ rejections }) => rejections)).toEqual([]);
    const events = await world.events(runId);
    const shorter =
      payloadsOf(events, "CONTEXT_COMPACTED").length + payloadsOf(events, "CONTEXT_CLIPPED").length;
    expect(shorter).toBeGreaterThan(0);
    const answered = requests.filter(({ answer }) => !answer.error);
    const turnRequests = answered.filter(({ call }) => call?.purpose === "turn");
    expect(prefixBreaks(turnRequests).length).toBeLessThanOrEqual(shorter);
    expect(
      answered.every(({ first }) => first.includes("ZEBRA")),
      "the task stays",
    ).toBe(true);
    expect(requests.length - answered.length, "few refusals").toBeLessThanOrEqual(4);
    check?.(requests);
  });
}

const MODELS = ["anthropic/claude-sonnet-4-5", "openai/gpt-5", "google/gemini-2.5-pro", "compat/local"];

describe("[F40] a job of 40 turns completes", () => {
  for (const model of MODELS)
    job(`${model} completes the job if only a refusal names the window of 32,000 tokens`, {
      model,
      respond: withWindow(32_000, 40, readOne(6)),
    });

  job(
    "a local server whose window is in cadre.yaml completes the job without a refusal",
    {
      model: "compat/local",
      config: "contextWindows: { compat/local: 32000 }\n",
      respond: withWindow(32_000, 40, readOne(6)),
    },
    (requests) => expect(requests.filter(({ answer }) => answer.error)).toEqual([]),
  );

  for (const model of MODELS)
    job(`${model} with 200,000 tokens completes the job with thirty results of 30 kB in three turns`, {
      model,
      respond: withWindow(200_000, 40, (turn) =>
        turn >= 2 && turn <= 4
          ? Array.from({ length: 10 }, (_, at) => ({
              call: "page",
              input: { number: turn * 100 + at, kilobytes: 30 },
            }))
          : readOne(2)(turn),
      ),
    });

  job("an unknown model with 200,000 tokens completes the job with a result of 30 kB in each turn", {
    model: "compat/unheard-of",
    respond: withWindow(200_000, 40, readOne(30)),
  });

  job("an unknown model completes the job although its refusal names no number", {
    model: "compat/unheard-of",
    respond: withWindow(20_000, 40, readOne(4), () => ({
      status: 413,
      body: openaiError("Request Entity Too Large", null),
    })),
  });

  job("a model with 16,000 tokens completes the job although one result has 200 kB", {
    model: "compat/small",
    respond: withWindow(16_000, 40, (turn) => readOne(turn === 5 ? 200 : 1)(turn)),
  });
});

describe("[25.14] with a small window, a job of 40 turns completes with few summaries", () => {
  for (const window of [8_000, 32_000])
    job(
      `a window of ${window} tokens needs at most 15 summaries`,
      {
        model: "compat/local",
        config: `contextWindows: { compat/local: ${window} }\n`,
        respond: withWindow(window, 40, readOne(2)),
      },
      (requests) => {
        expect(requests.filter(({ answer }) => answer.error)).toEqual([]);
        expect(requests.filter(({ call }) => call?.purpose === "summary").length).toBeLessThanOrEqual(15);
      },
    );
});

/** The prompt text of a request, as the model sees it. */
const promptTextOf = ({ body }: WireRequest): string => JSON.stringify(body);

wireScenario(
  "[25.14] [J12] older results are cleared in large steps before anything is summarised, and the agent reads one of them again",
  {
    model: "compat/local",
    agent: "maxTurns: 60",
    more: [page],
    config: "contextWindows: { compat/local: 40000 }\n",
    respond: withWindow(40_000, 41, (turn) =>
      turn === 41 ? [{ call: "Read", input: { path: "output:m1.0" } }] : readOne(3)(turn),
    ),
  },
  async (world, { requests }) => {
    const runId = await world.run("Read the pages of the ZEBRA book.");
    expect((await world.settled(runId)).end?.status).toBe("completed");
    const events = await world.events(runId);
    const clips = payloadsOf(events, "CONTEXT_CLIPPED");
    expect(clips.length).toBeGreaterThan(0);
    expect(clips.every(({ cleared }) => cleared?.readable)).toBe(true);
    expect(payloadsOf(events, "CONTEXT_COMPACTED"), "the results were all that was too long").toEqual([]);
    expect(prefixBreaks(requests).length, "the cache breaks only there").toBe(clips.length);
    const before = promptTextOf(requests.find((request) => promptTextOf(request).includes("was cleared"))!);
    expect(before).toContain("Read or Grep output:m1.0 if you need it again");
    expect(before, "what was read lately stays").toContain("Line of page");
    expect(before).not.toContain("Page 1. Line");
    expect(requests.at(-1)!.results.at(-1)).toContain("Page 1. Line of page 1, says this.");
  },
);

wireScenario(
  "[F40] a conversation is summarised once if the provider counts, and accepts, far more tokens than the window that was set",
  {
    model: "anthropic/claude-sonnet-4-5",
    more: [page],
    config: "contextWindows: { anthropic/claude-sonnet-4-5: 16000 }\n",
    respond: ({ last, n }) => {
      if (last.includes("Summarise it for yourself")) return { parts: [{ text: "I read six pages." }] };
      if (n > 10) return { parts: [{ text: "All pages are read." }] };
      return { parts: readOne(1)(n), ...(n === 6 ? { usage: { input: 800_000 } } : {}) };
    },
  },
  async (world, { requests }) => {
    const { end } = await world.settled(await world.run("Read the pages of the ZEBRA book."));
    expect(end).toMatchObject({ status: "completed", summary: "All pages are read." });
    expect(requests.map(({ call }) => call?.purpose).indexOf("summary")).toBe(6);
    expect(requests.filter(({ call }) => call?.purpose === "summary")).toHaveLength(1);
    expect(prefixBreaks(requests), "the summary call extends the call before it").toHaveLength(1);
  },
);

wireScenario(
  "[F40] if a provider counts every prompt as far too long for the window, the conversation is summarised once, not after each turn",
  {
    model: "anthropic/claude-sonnet-4-5",
    more: [page],
    config: "contextWindows: { anthropic/claude-sonnet-4-5: 16000 }\n",
    respond: ({ last, n }) => {
      const usage = { input: 800_000, cacheRead: 0, cacheWrite: 0 };
      if (last.includes("Summarise it for yourself")) return { parts: [{ text: "I read pages." }], usage };
      return { parts: n > 20 ? [{ text: "All pages are read." }] : readOne(1)(n), usage };
    },
  },
  async (world, { requests }) => {
    const runId = await world.run("Read the pages of the ZEBRA book.");
    expect((await world.settled(runId)).end?.summary).toBe("All pages are read.");
    expect(requests.filter(({ call }) => call?.purpose === "summary")).toHaveLength(1);
    expect(payloadsOf(await world.events(runId), "CONTEXT_CLIPPED"), "no result is lost").toEqual([]);
  },
);

wireScenario(
  "[25.14] after a summary the agent still knows its to-do list, the changed files, and how to read a result again",
  {
    model: "compat/local",
    agent: "maxTurns: 60",
    more: [page],
    config: "contextWindows: { compat/local: 16000 }\npermissions: { allow: [Write] }\n",
    respond: withWindow(16_000, 20, (turn) => {
      if (turn > 1) return [{ text: "Thinking aloud. ".repeat(150) }, ...readOne(1)(turn)];
      const todos = [{ content: "Count the zebras", status: "pending" }];
      return [
        { call: "TodoWrite", input: { todos } },
        { call: "Write", input: { path: "notes.txt", content: "none yet" } },
      ];
    }),
  },
  async (world, { requests }) => {
    const runId = await world.run("Read the pages of the ZEBRA book.");
    expect((await world.settled(runId)).end?.status).toBe("completed");
    expect(payloadsOf(await world.events(runId), "CONTEXT_COMPACTED").length).toBeGreaterThan(0);
    const last = promptTextOf(requests.at(-1)!);
    expect(last).toContain("- [ ] Count the zebras");
    expect(last).toContain("Files that were changed:\\n- notes.txt");
    expect(last).toMatch(/- output:m\d+\.0: page \{/);
  },
);

/** Gives a short answer if the prompt fits the window. */
const chatting =
  (window: number): Respond =>
  ({ body, provider, last }) => {
    const tokens = tokensIn(body);
    if (tokens > window) return { error: REFUSALS[provider](tokens, window)! };
    return { parts: [{ text: last.includes("Summarise it for yourself") ? "We talked." : "I see." }] };
  };

wireScenario(
  "[F40] a person can write sixty long messages to a model with 32,000 tokens",
  { model: "compat/local", config: "contextWindows: { compat/local: 32000 }\n", respond: chatting(32_000) },
  async (world, { requests }) => {
    const say = (number: number) =>
      world.runtime.say({
        ...{ agent: "tester", sessionId: "s", from: "ann", attended: true },
        text: `Message ${number}. ${"So it goes. ".repeat(184)}`,
      });
    for (let number = 1; number <= 60; number++) {
      const { end } = await world.settled((await say(number)).runId);
      expect(end, `message ${number}`).toMatchObject({ status: "completed", summary: "I see." });
    }
    const { body } = requests.at(-1)!;
    expect(JSON.stringify(body)).toContain("Message 60.");
    expect(JSON.stringify(body), "the latest messages stay").toContain("Message 59.");
    expect(JSON.stringify(body)).toContain("We talked.");
  },
);
