// Tests how much of a run's input is read from the provider's cache, and what the run costs.

import { describe, expect } from "vitest";
import { z } from "zod";
import { fakeClock } from "../../src/clock.ts";
import { MAX_MESSAGE_FILES } from "../../src/journal/attachment.ts";
import { createPrices } from "../../src/models/prices.ts";
import { cacheLedger, describeBreak } from "../../src/projections/usage/cache-ledger.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { PNG } from "../support/sample-files.ts";
import { payloadsOf } from "../support/scenario.ts";
import { byRun, prefixBreaks } from "../support/wire/prefix-breaks.ts";
import type { Respond } from "../support/wire/protocol.ts";
import type { WireRequest } from "../support/wire/server.ts";
import { wireScenario } from "../support/wire/wire-scenario.ts";
import type { World } from "../support/world.ts";

const SONNET = "anthropic/claude-sonnet-4-5";

/** A page with ten lines has about 60 tokens. */
const page = defineTool({
  name: "page",
  description: "Reads one page.",
  input: z.object({ number: z.number(), lines: z.number() }),
  effect: "read",
  reaches: [],
  execute: async ({ number, lines }) => ({
    output: `Page ${number}. ${"It says this and that. ".repeat(lines)}`,
  }),
});

/**
 * Each turn adds about 770 tokens, so that the prompt grows from 2,000 to 24,000 tokens in 30 requests.
 * If `quotes` is set, the model's answers add these tokens. Otherwise the results of its calls add them.
 */
const readsPages =
  (requests: number, { quotes = false } = {}): Respond =>
  ({ n, last }) => {
    if (last.includes("This is your last turn"))
      return { parts: [{ call: "final_report", input: { summary: "The pages are read so far." } }] };
    if (last.includes("Summarise it for yourself")) return { parts: [{ text: "I read many pages." }] };
    if (n >= requests)
      return {
        parts: [{ thinking: "Everything is known now." }, { text: "The pages are read. ".repeat(10) }],
      };
    return {
      parts: [
        { thinking: "I need the next page before I can answer. ".repeat(3) },
        { text: `Next I read page ${n}. ${"It said this and that. ".repeat(quotes ? 110 : 0)}` },
        { call: "page", input: { number: n, lines: quotes ? 1 : 110 } },
      ],
    };
  };

const promptOf = ({ usage: { input, cacheRead, cacheWrite } }: WireRequest): number =>
  input + cacheRead + cacheWrite;

const sum = (requests: readonly WireRequest[], count: (request: WireRequest) => number): number =>
  requests.reduce((total, request) => total + count(request), 0);

const shareRead = (requests: readonly WireRequest[]): number =>
  sum(requests, ({ usage }) => usage.cacheRead) / sum(requests, promptOf);

/** The run's cost, divided by its cost if each request had read the complete previous request from the cache. */
function costFactor(model: string, requests: readonly WireRequest[]): number {
  const priceOf = createPrices();
  const costOf = (request: WireRequest, cacheRead: number, cacheWrite: number): number =>
    priceOf(model, { input: promptOf(request), output: request.usage.output, cacheRead, cacheWrite })!;
  const paid = sum(requests, (request) => costOf(request, request.usage.cacheRead, request.usage.cacheWrite));
  let before = 0;
  const ideal = sum(requests, (request) => {
    const prompt = promptOf(request);
    const read = Math.min(before, prompt);
    before = prompt;
    return costOf(request, read, prompt - read);
  });
  return paid / ideal;
}

describe("a run of 30 turns", () => {
  for (const model of [SONNET, "anthropic/claude-opus-5-5"])
    wireScenario(
      `a long run on ${model} reads 92 % of its input from the cache, and costs at most 1.1 times the ideal`,
      { model, agent: "maxTurns: 60", more: [page], respond: readsPages(30) },
      async (world, { requests }) => {
        const { end, usage } = await world.settled(await world.run("Read 29 pages."));
        expect(end?.status).toBe("completed");
        expect(requests).toHaveLength(30);
        expect(promptOf(requests.at(-1)!)).toBeGreaterThan(22_000);
        expect(prefixBreaks(requests)).toEqual([]);
        expect(shareRead(requests)).toBeGreaterThan(0.92);
        expect(costFactor(model, requests)).toBeLessThan(1.1);
        expect(usage, "the journal has the provider's counts").toMatchObject({
          input: sum(requests, promptOf),
          cacheRead: sum(requests, (request) => request.usage.cacheRead),
        });
      },
    );

  wireScenario(
    "a long run on Anthropic reads 92 % from the cache if it ends with a last turn",
    { model: SONNET, agent: "maxTurns: 29", more: [page], respond: readsPages(60) },
    async (world, { requests }) => {
      const { end } = await world.settled(await world.run("Read 59 pages."));
      expect(end).toMatchObject({ stopReason: "max_turns", summary: "The pages are read so far." });
      expect(prefixBreaks(requests)).toEqual([]);
      expect(shareRead(requests)).toBeGreaterThan(0.92);
      expect(costFactor(SONNET, requests)).toBeLessThan(1.1);
    },
  );

  wireScenario(
    "a long run on Anthropic reads 92 % from the cache if it is compacted",
    { model: SONNET, agent: "maxTurns: 60", more: [page], respond: readsPages(30, { quotes: true }) },
    async (world, { requests }) => {
      narrow(world, 30_000);
      const runId = await world.run("Read 29 pages.");
      expect((await world.settled(runId)).end?.status).toBe("completed");
      expect(payloadsOf(await world.events(runId), "CONTEXT_COMPACTED")).toHaveLength(1);
      // The summary replaces everything after the task, but the tools, the system prompt and the task are read from the cache.
      expect(prefixBreaks(requests).map(({ part }) => part)).toEqual(["message 1"]);
      expect(shareRead(requests)).toBeGreaterThan(0.92);
      expect(costFactor(SONNET, requests)).toBeLessThan(1.1);
    },
  );

  for (const [turns, window, shortened] of [
    [30, 30_000, ["CONTEXT_CLIPPED"]],
    [60, 30_000, ["CONTEXT_CLIPPED", "CONTEXT_CLIPPED"]],
    [60, 45_000, ["CONTEXT_CLIPPED"]],
  ] as const)
    wireScenario(
      `a run of ${turns} turns in a window of ${window} tokens reads 92 % from Anthropic's cache, although older results are cleared`,
      { model: SONNET, agent: "maxTurns: 80", more: [page], respond: readsPages(turns) },
      async (world, { requests }) => {
        narrow(world, window);
        const runId = await world.run(`Read ${turns - 1} pages.`);
        expect((await world.settled(runId)).end?.status).toBe("completed");
        const types = (await world.events(runId)).map(({ type }) => type);
        expect(types.filter((type) => /CONTEXT_C/.test(type))).toEqual(shortened);
        // The first thought and its result are left out. Everything before them is read from the cache.
        expect(prefixBreaks(requests)[0]?.part).toBe("message 1");
        expect(shareRead(requests)).toBeGreaterThan(0.92);
        expect(costFactor(SONNET, requests)).toBeLessThan(1.1);
      },
    );

  for (const model of ["openai/gpt-5", "google/gemini-2.5-pro"])
    wireScenario(
      `a long run on ${model} reads 92 % of its input from the cache, with zero data retention`,
      {
        ...{ model, agent: "maxTurns: 60", more: [page] },
        respond: readsPages(30),
        wire: { isZeroRetention: true },
      },
      async (world, { requests }) => {
        expect((await world.settled(await world.run("Read 29 pages."))).end?.status).toBe("completed");
        expect(requests.flatMap(({ rejections }) => rejections)).toEqual([]);
        expect(prefixBreaks(requests)).toEqual([]);
        expect(shareRead(requests)).toBeGreaterThan(0.92);
      },
    );
});

wireScenario(
  "a turn with 30 calls is found in Anthropic's cache, which searches only 20 blocks back",
  {
    model: SONNET,
    respond: ({ turn }) => {
      const calls = Array.from({ length: 30 }, (_, at) => ({
        call: "look",
        input: { what: `${turn}/${at}` },
      }));
      return { parts: turn > 3 ? [{ text: "I looked." }] : calls };
    },
  },
  async (world, { requests }) => {
    expect((await world.settled(await world.run("Look around."))).end?.summary).toBe("I looked.");
    expect(requests.flatMap(({ rejections }) => rejections)).toEqual([]);
    const [first, second, third, fourth] = requests.map((request) => ({
      read: request.usage.cacheRead,
      prompt: promptOf(request),
    }));
    expect([second!.read, third!.read, fourth!.read]).toEqual([first!.prompt, second!.prompt, third!.prompt]);
  },
);

/** Shortens the context window of every model. */
function narrow({ runtime: { parts } }: World, tokens: number): void {
  parts.models = { ...parts.models, contextWindow: () => tokens };
}

describe("a tree with four children of one kind", () => {
  /** The children have different limits, because models often set limits for their children. */
  const delegations = [1, 2, 3, 4].map((part) => ({
    call: "delegate",
    input: { agent: "reader", task: `Read part ${part}.`, maxTurns: 10 + part },
  }));
  for (const model of [SONNET, "openai/gpt-5"])
    wireScenario(
      `a tree on ${model} reads 85 % of its input from the cache`,
      {
        model,
        agent: "kind: main\nagents: [reader]\ndelegation: { mode: parallel }",
        cast: { reader: "kind: subagent" },
        more: [page],
        respond({ agent, turn, first }) {
          if (agent !== "reader")
            return { parts: turn > 1 ? [{ text: "All parts are read." }] : delegations };
          const number = Number(/part (\d)/.exec(first)![1]) * 10 + turn;
          if (turn > 8) return { parts: [{ text: "The part is read." }] };
          return { parts: [{ thinking: "The next page." }, { call: "page", input: { number, lines: 30 } }] };
        },
      },
      async (world, { requests }) => {
        const { end } = await world.settled(await world.run("Read all four parts."));
        expect(end?.summary).toBe("All parts are read.");
        const [, ...children] = byRun(requests);
        expect(children).toHaveLength(4);
        for (const child of children) expect(prefixBreaks(child)).toEqual([]);
        const beginnings = children.map(([first]) => JSON.stringify(first!.prefix.slice(0, 2)));
        expect(new Set(beginnings).size, "all children have the same tools and system prompt").toBe(1);
        expect(children[2]![0]!.first).toContain("at most 13 turns");
        expect(shareRead(requests)).toBeGreaterThan(0.85);
        const keys = requests.map(({ body }) => body["prompt_cache_key"]);
        expect(new Set(keys), "OpenAI finds the cache of a tree by one key").toEqual(
          new Set([model === SONNET ? undefined : requests[0]!.run]),
        );
      },
    );
});

/** Each call returns as many images as a result may have. After five calls, the oldest images no longer fit into the prompt. */
const scan = defineTool({
  name: "scan",
  description: "Scans pages.",
  input: z.object({ part: z.number() }),
  effect: "read",
  reaches: [],
  execute: async () => ({
    output: "Scanned.",
    attachments: Array.from({ length: MAX_MESSAGE_FILES }, (_, n) => ({ name: `${n}.png`, bytes: PNG })),
  }),
});

wireScenario(
  "the ledger names the call that left out older files and so broke the cached prefix",
  {
    model: SONNET,
    more: [scan],
    respond: ({ n }) => ({
      parts: n > 6 ? [{ text: "All is scanned." }] : [{ call: "scan", input: { part: n } }],
    }),
  },
  async (world, { requests }) => {
    const runId = await world.run("Scan everything.");
    expect((await world.settled(runId)).end?.status).toBe("completed");
    expect(prefixBreaks(requests)).toHaveLength(1);
    const { calls } = cacheLedger([await world.events(runId)]);
    expect(calls.flatMap((call) => describeBreak(call) ?? [])).toEqual([
      expect.stringContaining("broke the prefix: older files were left out"),
    ]);
  },
);

describe("[B2] a call with a budget", () => {
  const MINUTE = 60_000;
  for (const [title, minutes, isCached] of [
    ["the estimate of a call includes the provider's cache after four minutes", 4, true],
    ["the estimate of a call ignores the provider's cache after five minutes, when it has expired", 5, false],
  ] as const) {
    const clock = fakeClock();
    const think = defineTool({
      name: "think",
      description: "Thinks.",
      input: z.object({ part: z.number() }),
      effect: "read",
      reaches: [],
      execute: async ({ part }) => {
        if (part === 2) clock.set(clock.now() + minutes * MINUTE);
        return { output: `${part} ${"It says this and that. ".repeat(300)}` };
      },
    });
    wireScenario(
      title,
      {
        ...{ model: SONNET, idle: true, clock, more: [think], agent: "limits: { maxCost: 5 }" },
        respond: ({ n }) => ({
          parts: n > 2 ? [{ text: "Done." }] : [{ call: "think", input: { part: n } }],
        }),
      },
      async (world) => {
        const runId = await world.run("Think.");
        expect((await world.drive(runId)).end?.status).toBe("completed");
        const { estimate, maxOutputTokens } = payloadsOf(await world.events(runId), "MODEL_CALL_STARTED")[2]!;
        const [tokens, output] = [estimate!.tokens, maxOutputTokens!];
        // The whole prompt is written to the cache, at a quarter more than the price of plain input.
        const readAnew = ((tokens - output) * 3.75 + output * 15) / 1_000_000;
        if (isCached) expect(estimate!.cost).toBeLessThan(readAnew - 0.003);
        else expect(estimate!.cost).toBeCloseTo(readAnew, 5);
      },
    );
  }
});
