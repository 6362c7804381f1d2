// Tests what happens to a model's thoughts when the conversation changes: last turn, compaction, fork, retry, and another model.

import { describe, expect } from "vitest";
import { look } from "../support/scenario.ts";
import { unboundBlocks } from "../support/wire/anthropic.ts";
import { prefixBreaks } from "../support/wire/prefix-breaks.ts";
import type { Answer, Respond } from "../support/wire/protocol.ts";
import type { WireRequest } from "../support/wire/server.ts";
import { wireScenario } from "../support/wire/wire-scenario.ts";

/** A model that rejects a thinking block if anything before the block has changed. */
const OPUS = "anthropic/claude-opus-5-5";

const looks = (n: number): Answer => {
  const { tool, input } = look(`${n}`);
  return { parts: [{ thinking: `Thought ${n}.` }, { text: `I look (${n}).` }, { call: tool, input }] };
};

/** Calls `look` until the request with this number, and then answers. */
const looksUntil =
  (end: number): Respond =>
  ({ n, last }) => {
    if (last.includes("Summarise it for yourself")) return { parts: [{ text: "I looked often." }] };
    return n < end ? looks(n) : { parts: [{ thinking: "Done." }, { text: "I looked." }] };
  };

const thoughtsIn = ({ body }: WireRequest): number =>
  JSON.stringify(body).match(/"type":"thinking"/g)?.length ?? 0;

const rejectionsOf = (requests: readonly WireRequest[]): string[] =>
  requests.flatMap(({ rejections }) => rejections);

describe("thoughts that are bound to their conversation", () => {
  wireScenario(
    "thoughts survive a fork: the fork sends them all, and none is bound to another conversation",
    { model: OPUS, respond: looksUntil(6) },
    async (world, { requests }) => {
      const runId = await world.run("Look around.");
      await world.settled(runId);
      const results = (await world.events(runId)).filter(({ type }) => type === "TOOL_RESULT");
      const fork = await world.runtime.fork(runId, { seq: results[3]!.seq });
      expect((await world.settled(fork.runId)).end?.summary).toBe("I looked.");
      const [first] = requests.filter(({ run }) => run === fork.runId);
      expect(thoughtsIn(first!)).toBe(4);
      expect(unboundBlocks(first!.body)).toEqual([]);
      expect(rejectionsOf(requests)).toEqual([]);
    },
  );

  wireScenario(
    "thoughts survive a retry after the provider failed",
    {
      model: OPUS,
      respond: (ask) =>
        ask.n === 4
          ? {
              error: {
                status: 403,
                body: { type: "error", error: { type: "permission_error", message: "no" } },
              },
            }
          : looksUntil(6)(ask),
    },
    async (world, { requests }) => {
      const failed = await world.run("Look around.");
      expect((await world.settled(failed)).end?.status).toBe("failed");
      const { runId } = await world.runtime.retry(failed);
      expect((await world.settled(runId)).end?.summary).toBe("I looked.");
      expect(prefixBreaks(requests)).toEqual([]);
      expect(thoughtsIn(requests.at(-1)!)).toBe(4);
      expect(requests.flatMap(({ body }) => unboundBlocks(body))).toEqual([]);
    },
  );

  wireScenario(
    "after a compaction, the provider drops the earlier thoughts and binds new ones, and the run continues",
    { model: OPUS, agent: "maxTurns: 60", respond: looksUntil(20) },
    async (world, { requests }) => {
      const { parts } = world.runtime;
      parts.models = { ...parts.models, contextWindow: () => 3_500 };
      expect((await world.settled(await world.run("Look around."))).end?.summary).toBe("I looked.");
      expect(rejectionsOf(requests)).toEqual([]);
      const summary = requests.findIndex(({ call }) => call!.purpose === "summary");
      expect(summary).toBeGreaterThan(0);
      const hasBound = (one: (typeof requests)[number]) => thoughtsIn(one) > unboundBlocks(one.body).length;
      expect(requests.slice(summary + 1).some(hasBound)).toBe(true);
    },
  );
});

wireScenario(
  "a model that thinks is not forced to report in its last turn, even if the provider failed once",
  {
    model: "anthropic/claude-sonnet-4-5",
    agent: "reasoning: high\nmaxTurns: 2",
    respond: ({ n, last }) => {
      if (n === 3)
        return {
          error: {
            status: 529,
            body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
            headers: { "retry-after-ms": "1" },
          },
        };
      return last.includes("last turn")
        ? { parts: [{ thinking: "Report." }, { text: "I looked." }] }
        : looks(n);
    },
  },
  async (world, { requests }) => {
    expect((await world.settled(await world.run("Look around."))).end).toMatchObject({
      stopReason: "max_turns",
      summary: "I looked.",
    });
    expect(rejectionsOf(requests)).toEqual([]);
    expect(prefixBreaks(requests)).toEqual([]);
    expect(requests.at(-1)!.body).toMatchObject({ thinking: { type: "enabled" } });
  },
);

describe("[F40] the next model of the chain continues in the middle of a tool loop", () => {
  const THINKS = "claude-sonnet-4-5";
  const pairs = [
    ["openai/gpt-5", `anthropic/${THINKS}`],
    ["openai/gpt-5", OPUS],
    [`anthropic/${THINKS}`, "openai/gpt-5"],
    [`anthropic/${THINKS}`, "google/gemini-3-pro-preview"],
    [`anthropic/${THINKS}`, OPUS],
    [OPUS, `anthropic/${THINKS}`],
    ["google/gemini-3-pro-preview", `anthropic/${THINKS}`],
    ["google/gemini-2.5-pro", "compat/local-model"],
  ] as const;
  for (const [first, second] of pairs)
    wireScenario(
      `${second} continues the work of ${first}, with reasoning on`,
      {
        model: `[${first}, ${second}]`,
        agent: "reasoning: high",
        wire: { isZeroRetention: true },
        respond: (ask) => {
          const isFirst = first.endsWith(ask.model);
          if (isFirst && ask.turn > 2)
            return { error: { status: 404, body: { error: { message: "no such model" } } } };
          const { parts = [] } = looksUntil(6)(ask) as Answer;
          // Claude models that take a token budget think only if the request asks for it.
          const thinks = ask.model !== THINKS || ask.body["thinking"] !== undefined;
          return { parts: parts.filter((part) => thinks || !("thinking" in part)) };
        },
      },
      async (world, { requests }) => {
        const { end } = await world.settled(await world.run("Look around."));
        expect(rejectionsOf(requests)).toEqual([]);
        expect(end).toMatchObject({ status: "completed", summary: "I looked." });
        const after = requests.filter(({ model }) => second.endsWith(model));
        expect(after.length).toBeGreaterThan(2);
        expect(after.at(-1)!.results).toEqual([
          "look 1: done",
          "look 2: done",
          "look 4: done",
          "look 5: done",
        ]);
        expect(prefixBreaks(after)).toEqual([]);
      },
    );
});

for (const model of ["openai/gpt-5", "google/gemini-2.5-pro"])
  wireScenario(
    `[24.1] ${model}: if a model rejects a forced tool, the last turn is requested again without it`,
    {
      model,
      agent:
        "maxTurns: 2\noutput: { type: object, properties: { answer: { type: number } }, required: [answer] }",
      respond({ body, last }) {
        const { tool_choice: choice, toolConfig } = body as {
          tool_choice?: unknown;
          toolConfig?: { functionCallingConfig?: { mode?: string } };
        };
        if (typeof choice === "object" || toolConfig?.functionCallingConfig?.mode === "ANY") {
          const message = "Forcing a tool is not supported with this model.";
          return { error: { status: 400, body: { error: { message, code: 400 } } } };
        }
        if (last.includes("This is your last turn"))
          return {
            parts: [{ call: "final_report", input: { summary: "It is 42.", output: { answer: 42 } } }],
          };
        return { parts: [{ call: "look", input: { what: "it" } }] };
      },
    },
    async (world, { requests }) => {
      const runId = await world.run("What is the answer?");
      const { end } = await world.settled(runId);
      expect(end).toMatchObject({ status: "completed", summary: "It is 42." });
      expect(requests).toHaveLength(3);
      expect(prefixBreaks(requests), "the tools and the prompt stay the same").toEqual([]);
    },
  );
