// Tests how reasoning is requested from each provider, and that each model gets its own reasoning back unchanged.

import { describe, expect } from "vitest";
import { look, payloadsOf } from "../support/scenario.ts";
import { unboundBlocks } from "../support/wire/anthropic.ts";
import type { Respond } from "../support/wire/protocol.ts";
import type { WireRequest } from "../support/wire/server.ts";
import { wireScenario } from "../support/wire/wire-scenario.ts";

const CLAUDE = "anthropic/claude-sonnet-4-5";
const PRESERVING = [
  "anthropic/claude-opus-5-5",
  "anthropic/claude-fable-5-1",
  "anthropic/claude-sonnet-5-5",
] as const;

const call = (what: string) => ({ call: "look", input: look(what).input as object });

/** Two turns with a thought and a call each, then the answer. */
const thinks: Respond = ({ turn }) =>
  turn <= 2
    ? {
        parts: [
          { thinking: `thought ${turn}` },
          { text: `Look ${turn}.`, signature: `text-signature-${turn}` },
          call(`at ${turn}`),
          call(`again ${turn}`),
        ],
      }
    : { parts: [{ thinking: "thought of the end" }, { text: "Done." }] };

const rejectionsOf = (requests: readonly WireRequest[]): string[] =>
  requests.flatMap(({ rejections }) => rejections);

const bodyOf = (requests: readonly WireRequest[], at: number): string =>
  JSON.stringify(requests.at(at)!.body);

describe("a model gets its own reasoning back", () => {
  for (const model of [
    "openai/gpt-5",
    "openai/o4-mini",
    "openai/some-new-model",
    "openai/gpt-4.1",
    CLAUDE,
    ...PRESERVING,
    "google/gemini-2.5-pro",
    "google/gemini-3-pro-preview",
    "compat/local-model",
  ])
    wireScenario(
      `${model} gets its own reasoning back with zero data retention`,
      { model, respond: thinks, wire: { isZeroRetention: true } },
      async (world, { requests }) => {
        expect((await world.settled(await world.run("look"))).end?.summary).toBe("Done.");
        expect(rejectionsOf(requests)).toEqual([]);
        const last = bodyOf(requests, -1);
        if (model === "openai/gpt-4.1") expect(last).not.toContain("reasoning.encrypted_content");
        else if (model.startsWith("openai/"))
          expect(last.match(/"encrypted_content":"gAAAA/g)).toHaveLength(2);
        else if (model !== "google/gemini-3-pro-preview") expect(last).toContain("thought 2");
      },
    );

  wireScenario(
    "Anthropic gets redacted, empty and interleaved thoughts back in their order",
    {
      model: CLAUDE,
      agent: "reasoning: 4000",
      respond: ({ turn }) =>
        turn > 1
          ? { parts: [{ text: "Done." }] }
          : {
              parts: [
                { thinking: "" },
                { redacted: "EmwKAhgBEgy3va3p" },
                { text: "a" },
                { thinking: "interleaved" },
                call("there"),
              ],
            },
    },
    async (world, { requests }) => {
      await world.settled(await world.run("look"));
      expect(rejectionsOf(requests)).toEqual([]);
      const [, answer] = requests[1]!.body["messages"] as { content: { type: string }[] }[];
      expect(answer!.content.map(({ type }) => type)).toEqual([
        "thinking",
        "redacted_thinking",
        "text",
        "thinking",
        "tool_use",
      ]);
    },
  );
});

describe("a substitute model gets no reasoning of the first model", () => {
  const models = [
    CLAUDE,
    "anthropic/claude-opus-5-5",
    "openai/gpt-5",
    "google/gemini-3-pro-preview",
    "compat/x",
  ];
  for (const first of models)
    for (const second of models.filter((model) => model !== first))
      wireScenario(
        `${first}, then ${second}`,
        {
          model: `[${first}, ${second}]`,
          agent: "reasoning: medium",
          respond: (ask) =>
            ask.turn > 2 && first.endsWith(ask.model) ? { error: { status: 400, body: {} } } : thinks(ask),
        },
        async (world, { requests }) => {
          const runId = await world.run("look");
          expect((await world.settled(runId)).end?.summary).toBe("Done.");
          expect(rejectionsOf(requests)).toEqual([]);
          expect(second.endsWith(requests.at(-1)!.model)).toBe(true);
          expect(bodyOf(requests, -1)).not.toMatch(/thought [12]|gAAAA|text-signature/);
        },
      );
});

describe("preserved thinking", () => {
  for (const model of PRESERVING) {
    wireScenario(
      `${model}: the last turn repeats the whole conversation, so no thought is lost`,
      {
        model,
        agent: "maxTurns: 3\nreasoning: low",
        respond: ({ turn, last }) =>
          last.includes("This is your last turn")
            ? { parts: [{ call: "final_report", input: { summary: "Reported." } }] }
            : { parts: [{ thinking: `thought ${turn}` }, call(`at ${turn}`)] },
      },
      async (world, { requests }) => {
        expect((await world.settled(await world.run("look"))).end?.summary).toBe("Reported.");
        expect(rejectionsOf(requests)).toEqual([]);
        expect(requests.flatMap(({ body }) => unboundBlocks(body))).toEqual([]);
        expect(requests[0]!.body["thinking"]).toMatchObject({
          type: "adaptive",
          block_binding: { prefix_mismatch_behavior: "drop_block" },
        });
      },
    );

    wireScenario(
      `${model}: a compaction, a fork and a retry are accepted`,
      { model, agent: "maxTurns: 30", respond: compacts() },
      async (world, { requests }) => {
        const runId = await world.run("look");
        expect((await world.settled(runId)).end?.summary).toBe("Done.");
        const events = await world.events(runId);
        expect(payloadsOf(events, "CONTEXT_COMPACTED")).toHaveLength(1);
        const fork = await world.runtime.fork(runId, { edit: { message: "Look again." } });
        expect((await world.settled(fork.runId)).end?.status).toBe("completed");
        const retry = await world.runtime.retry(runId);
        expect((await world.settled(retry.runId)).end?.status).toBe("completed");
        expect(rejectionsOf(requests)).toEqual([]);
      },
    );
  }

  function compacts(): Respond {
    let summaries = 0;
    return ({ turn, last }) => {
      if (last.includes("Summarise it for yourself")) {
        summaries++;
        return { parts: [{ thinking: "sum up" }, { text: "I looked." }] };
      }
      if (summaries > 0) return { parts: [{ thinking: "end" }, { text: "Done." }] };
      const usage = turn >= 6 ? { usage: { input: 990_000, cacheRead: 0, cacheWrite: 0 } } : {};
      return { parts: [{ thinking: `thought ${turn}` }, call(`at ${turn}`)], ...usage };
    };
  }
});

describe("`reasoning` in the form of each provider", () => {
  const cases: [model: string, reasoning: string, sent: object][] = [
    [CLAUDE, "16000", { thinking: { type: "enabled", budget_tokens: 16_000 }, max_tokens: 48_000 }],
    [CLAUDE, "high", { thinking: { type: "enabled", budget_tokens: 24_000 }, max_tokens: 64_000 }],
    [CLAUDE, "none", { thinking: { type: "disabled" }, max_tokens: 32_000 }],
    [
      "anthropic/claude-opus-4-8",
      "xhigh",
      {
        thinking: { type: "adaptive", display: "summarized" },
        output_config: { effort: "xhigh" },
        max_tokens: 64_000,
      },
    ],
    ["anthropic/claude-new-9", "low", { output_config: { effort: "low" }, max_tokens: 32_000 }],
    ["openai/gpt-5", "minimal", { reasoning: { effort: "minimal", summary: "detailed" } }],
    ["openai/o4-mini", "high", { reasoning: { effort: "high", summary: "detailed" } }],
    ["google/gemini-2.5-pro", "9000", { generationConfig: { thinkingConfig: { thinkingBudget: 9_000 } } }],
    ["google/gemini-2.5-flash", "none", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    [
      "google/gemini-3-pro-preview",
      "low",
      { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    ],
    ["compat/local-model", "low", { reasoning_effort: "low" }],
  ];
  for (const [model, reasoning, sent] of cases)
    wireScenario(
      `${model} with \`reasoning: ${reasoning}\``,
      { model, agent: `reasoning: ${reasoning}`, respond: () => ({ parts: [{ text: "Done." }] }) },
      async (world, { requests }) => {
        await world.settled(await world.run("look"));
        expect(rejectionsOf(requests)).toEqual([]);
        expect(requests[0]!.body).toMatchObject(sent);
      },
    );

  for (const [maxTokens, thinking] of [
    [90_000, { type: "enabled", budget_tokens: 24_000 }],
    [14_000, { type: "enabled", budget_tokens: expect.any(Number) }],
    [5_000, undefined],
  ] as const)
    wireScenario(
      `[B2] with a budget of ${maxTokens} tokens, the output limit of a Claude includes its thoughts`,
      {
        model: CLAUDE,
        agent: `reasoning: high\ntools: []\nlimits: { maxTokens: ${maxTokens} }`,
        respond: () => ({ parts: [{ text: "Done." }] }),
      },
      async (world, { requests }) => {
        const runId = await world.run("look");
        await world.settled(runId);
        const [started] = payloadsOf(await world.events(runId), "MODEL_CALL_STARTED");
        expect(rejectionsOf(requests)).toEqual([]);
        const { body } = requests[0]! as { body: Record<string, unknown> };
        expect(body["max_tokens"]).toBe(started!.maxOutputTokens);
        expect(body["thinking"]).toEqual(thinking);
      },
    );

  const refused: [model: string, reasoning: string, says: RegExp][] = [
    ["anthropic/claude-opus-5-5", "none", /no reasoning level `none`: choose low, medium, high, xhigh, max/],
    ["anthropic/claude-opus-5-5", "16000", /takes no budget of reasoning tokens/],
    [CLAUDE, "500", /budget of 500 tokens: choose .* or 1024 to 48000 tokens/],
    ["openai/gpt-5", "16000", /takes no budget/],
    ["openai/gpt-5", "xhigh", /choose minimal, low, medium, high/],
    ["openai/gpt-4.1", "low", /does not reason/],
    ["google/gemini-3-pro-preview", "16000", /takes no budget/],
  ];
  for (const [model, reasoning, says] of refused)
    wireScenario(
      `${model} with \`reasoning: ${reasoning}\` is refused before anything starts`,
      { model, agent: `reasoning: ${reasoning}`, respond: () => ({ parts: [{ text: "Done." }] }) },
      async (world, { requests }) => {
        await expect(world.run("look")).rejects.toThrow(says);
        expect(requests).toEqual([]);
      },
    );
});
