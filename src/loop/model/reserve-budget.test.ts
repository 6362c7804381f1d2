import { expect } from "vitest";
import { z } from "zod";
import {
  delegate,
  look,
  payloadsOf,
  roles,
  scenario,
  turns,
  watchCalls,
} from "../../../test/support/scenario.ts";
import type { Script } from "../../models/scripted/script.ts";
import { defineTool } from "../../tools/tool.ts";
import { setBudget } from "../commands/branches.ts";

/** Reads a page of 30,000 characters, which is about 7,500 tokens. */
const page = defineTool({
  name: "page",
  description: "Reads a page.",
  input: z.object({ n: z.number() }),
  effect: "read",
  reaches: [],
  async execute() {
    return { output: "line of text\n".repeat(2_300) };
  },
});

/** A reader whose provider counts about one token per four characters. */
const reader: Script = (request) =>
  request.purpose === "final"
    ? { report: { summary: "as far as I got" } }
    : {
        calls: [{ tool: "page", input: { n: request.turn } }],
        usage: { input: 400 + request.turn, output: 20 },
      };

scenario(
  "[B3] the last turn is affordable even after a large result: the result is shortened, and the agent reports",
  { idle: true, tools: [page], agent: "tools: [page]\nlimits: { maxTokens: 6000 }", script: reader },
  async (world) => {
    const calls = watchCalls(world, reader);
    const runId = await world.run("read");
    const { end, usage } = await world.drive(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "budget", summary: "as far as I got" });
    expect(usage.input + usage.output).toBeLessThanOrEqual(6_000);
    const last = JSON.stringify(calls.all.at(-1)!.prompt);
    expect(last).toContain("The rest was left out: the budget does not cover it.");
    expect(last.length / 4).toBeLessThan(6_000);
    const started = payloadsOf(await world.events(runId), "MODEL_CALL_STARTED");
    expect(started.at(-1)).toMatchObject({ purpose: "final", shortenedBy: expect.any(Number) });
  },
);

scenario(
  "[B2] a call is sent with the output limit that it has reserved, and the limit shrinks with the budget",
  { idle: true, agent: "limits: { maxTokens: 9000 }", script: () => ({ text: "done" }) },
  async (world) => {
    const calls = watchCalls(world, () => ({ text: "done" }));
    const runId = await world.run("answer");
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed", stopReason: "final_answer" });
    const [started] = payloadsOf(await world.events(runId), "MODEL_CALL_STARTED");
    const { maxOutputTokens } = calls.all[0]!;
    expect(maxOutputTokens).toBeGreaterThan(1_000);
    expect(maxOutputTokens).toBeLessThan(8_000);
    expect(started?.maxOutputTokens).toBe(maxOutputTokens);
    expect(started!.estimate!.tokens + started!.lastTurn!.tokens).toBeLessThanOrEqual(9_000);
  },
);

scenario(
  "[B2] without a budget, no output limit is sent and nothing is reserved",
  { idle: true, script: () => ({ text: "done" }) },
  async (world) => {
    const calls = watchCalls(world, () => ({ text: "done" }));
    const runId = await world.run("answer");
    await world.drive(runId);
    expect(calls.all[0]!.maxOutputTokens).toBeUndefined();
    expect(payloadsOf(await world.events(runId), "MODEL_CALL_STARTED")[0]).not.toHaveProperty("estimate");
  },
);

scenario(
  "[B2] after an answer was cut off, the next attempt may be twice as long",
  {
    idle: true,
    agent: "limits: { maxTokens: 200000 }",
    script: () => ({ text: "done" }),
  },
  async (world) => {
    const calls = watchCalls(world, ({ attempt }) =>
      attempt === 1
        ? { calls: [look("a")], cut: "length", usage: { input: 400, output: 8_000 } }
        : { text: "done" },
    );
    await world.drive(await world.run("answer"));
    expect(calls.all.map((call) => call.maxOutputTokens)).toEqual([8_000, 16_000]);
  },
);

for (const [of, limits] of [
  ["run", "{ maxTokens: 200 }"],
  ["tree", "{ tree: { maxTokens: 200 } }"],
] as const)
  scenario(
    `[B3] if the budget of the ${of} does not cover one call, the run says what a call needs, and calls no model`,
    { idle: true, agent: `limits: ${limits}`, script: () => ({ text: "done" }) },
    async (world) => {
      const runId = await world.run("answer");
      const { end } = await world.drive(runId);
      expect(end).toMatchObject({ status: "failed", stopReason: "budget" });
      expect(end?.summary).toMatch(
        new RegExp(`the ${of} has 200 tokens, nothing is used yet, and a last turn needs about [\\d,]+\\.`),
      );
      const [failed] = payloadsOf(await world.events(runId), "RUN_FAILED");
      const name = of === "tree" ? "limits.tree.maxTokens" : "limits.maxTokens";
      expect(failed?.result.suggestions[0]).toMatch(new RegExp(`^Set \`${name}\` to at least [\\d,]+,`));
      expect(payloadsOf(await world.events(runId), "MODEL_CALL_STARTED")).toEqual([]);
    },
  );

scenario(
  "[B3] children cannot spend what is kept for the last turn of their parent",
  {
    agent: "agents: [coder]\ntools: []\nmaxOutputTokens: 500",
    cast: { coder: "tools: [look]\nmaxOutputTokens: 500\nlimits: { maxTurns: 40 }" },
    config: "limits: { tree: { maxTokens: 20000 } }\n",
    script: roles({
      tester: ({ turn, purpose }) =>
        turn === 1
          ? { calls: [delegate("coder")], usage: { input: 600, output: 40 } }
          : { text: `the parent reports (${purpose})`, usage: { input: 800, output: 40 } },
      coder: ({ turn, purpose }) =>
        purpose === "final"
          ? { text: "the child reports", usage: { input: 900, output: 40 } }
          : { calls: [{ tool: "look", input: { what: `${turn}` } }], usage: { input: 900, output: 100 } },
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
    const { runs } = await world.runtime.store.runs.list({ root: runId });
    expect(runs.map(({ agent, status }) => [agent, status])).toEqual(
      expect.arrayContaining([
        ["tester", "completed"],
        ["coder", "completed"],
      ]),
    );
    const spent = runs.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
    expect(spent, "I9").toBeLessThanOrEqual(20_000);
    expect(spent, "the budget is used").toBeGreaterThan(12_000);
  },
);

const UNPRICED = "providers: { own: { type: openai-compatible, baseURL: 'http://127.0.0.1:9/v1' } }\n";
const ownModel = { idle: true, model: "own/big", agent: "limits: { maxCost: 1 }", script: turns() } as const;

scenario(
  "[B5] a run with maxCost and a model without a known price is refused, and the error says what to write",
  { ...ownModel, config: UNPRICED },
  async (world) => {
    await expect(world.run("work")).rejects.toThrow(
      /the price of own\/big \(tester\)\. .*`prices: \{ own\/big: \{ input: 3, output: 15 \} \}`\..* Nothing was started\./,
    );
    expect((await world.runtime.store.runs.list({})).runs).toEqual([]);
  },
);

for (const [title, config, unpriced] of [
  ["has its price in cadre.yaml", `${UNPRICED}prices: { own/big: { input: 1, output: 2 } }\n`, undefined],
  ["is allowed by onUnknownPrice", `${UNPRICED}onUnknownPrice: allow\n`, ["own/big"]],
] as const)
  scenario(`[B5] a run with maxCost starts if its model ${title}`, { ...ownModel, config }, async (world) => {
    const [started] = payloadsOf(await world.events(await world.run("work")), "RUN_STARTED");
    expect(started?.unpriced).toEqual(unpriced);
  });

scenario(
  "[B5] a tree's maxCost is refused if an agent below the root has a model without a known price",
  {
    idle: true,
    agent: "agents: [coder]",
    model: "own/big",
    cast: { coder: "" },
    config: `${UNPRICED}limits: { tree: { maxCost: 1 } }\n`,
    script: turns(),
  },
  async (world) => {
    await expect(world.run("work", { model: "scripted/test" })).rejects.toThrow("own/big (coder)");
  },
);

scenario(
  "[B5] a child for which the parent chooses a model without a known price is refused when it would start",
  {
    agent: "agents: [coder]",
    cast: { coder: "" },
    config: `${UNPRICED}limits: { tree: { maxCost: 1 } }\n`,
    script: turns({ calls: [delegate("coder", "do it", { model: "own/big" })] }),
  },
  async (world) => {
    const runId = await world.run("work");
    await world.seen(runId, "RUN_COMPLETED");
    const events = await world.events(runId);
    expect(payloadsOf(events, "CHILD_RUN_STARTED")).toEqual([]);
    expect(payloadsOf(events, "TOOL_RESULT")[0]).toMatchObject({
      outcome: "error",
      output: expect.stringContaining("coder cannot be started: The limit `maxCost` cannot be kept"),
    });
  },
);

scenario(
  "[B5] if a model has no known price, a running tree can get a limit on tokens, but none on cost",
  { ...ownModel, agent: "", config: UNPRICED },
  async (world) => {
    const runId = await world.run("work");
    const { people } = world.runtime;
    for (const scope of [undefined, "tree"] as const)
      await expect(setBudget(runId, { limits: { maxCost: 1 }, scope }, "ann", people)).rejects.toThrow(
        /the price of own\/big \(tester\)\. .* Nothing was changed\./,
      );
    await setBudget(runId, { limits: { maxTokens: 90_000 }, scope: "tree" }, "ann", people);
    expect(payloadsOf(await world.events(runId), "BUDGET_SET")).toHaveLength(1);
  },
);

scenario(
  "[B5] a running tree gets a limit on cost if onUnknownPrice allows it",
  { ...ownModel, agent: "", config: `${UNPRICED}onUnknownPrice: allow\n` },
  async (world) => {
    const runId = await world.run("work");
    await setBudget(runId, { limits: { maxCost: 1 }, scope: "tree" }, "ann", world.runtime.people);
    expect(payloadsOf(await world.events(runId), "BUDGET_SET")).toHaveLength(1);
  },
);

const looksOnce = turns({ calls: [look("a")] }, { text: "seen" });

scenario(
  "[B3] the budget that a failed run asks for covers a turn and a report",
  { idle: true, agent: "tools: [look]", script: looksOnce },
  async (world) => {
    const poor = await world.run("work", { limits: { maxTokens: 200 } });
    await world.drive(poor);
    const { needs } = payloadsOf(await world.events(poor), "LIMIT_REACHED")[0]!;
    const runId = await world.run("work", { limits: { maxTokens: needs! } });
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed", summary: "seen" });
    const started = payloadsOf(await world.events(runId), "MODEL_CALL_STARTED");
    expect(started).toHaveLength(2);
    expect(started[0]!.purpose, "the first call is not the last turn").toBeUndefined();
  },
);

scenario(
  "[B2] a call never requests a longer answer than its model can give, even after answers were cut off",
  { idle: true, agent: "limits: { maxTokens: 900000 }", script: () => ({ text: "done" }) },
  async (world) => {
    let answers = 0;
    const calls = watchCalls(world, () =>
      ++answers < 3 ? { calls: [look("a")], cut: "length" } : { text: "done" },
    );
    world.runtime.parts.models = { ...world.runtime.parts.models, maxOutput: () => 16_384 };
    const runId = await world.run("answer");
    await world.drive(runId);
    expect(calls.all.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([8_000, 16_000, 16_384]);
  },
);
