// Tests how a run reacts to failures of each provider: its state, its message and the number of requests.

import { describe, expect } from "vitest";
import { fakeClock } from "../../src/clock.ts";
import { payloadsOf } from "../support/scenario.ts";
import type { Answer, ProtocolName } from "../support/wire/protocol.ts";
import { wireScenario } from "../support/wire/wire-scenario.ts";
import type { World } from "../support/world.ts";

const MODELS: Record<ProtocolName, string> = {
  anthropic: "anthropic/claude-sonnet-4-5",
  responses: "openai/gpt-5",
  chat: "compat/x",
  google: "google/gemini-2.5-pro",
};
const PROTOCOLS = Object.entries(MODELS) as [ProtocolName, string][];

const DONE: Answer = { parts: [{ text: "Recovered and done." }] };

/** Drives a run again each time its waiting time is over. */
async function untilEnd(world: World, clock: ReturnType<typeof fakeClock>, runId: string) {
  for (let rounds = 0; rounds < 20; rounds++) {
    const state = await world.drive(runId);
    if (state.end) return state;
    clock.set(state.waitingOn?.until ?? clock.now());
  }
  throw new Error("it does not end");
}

const REFUSALS: Record<ProtocolName, { answer: Answer; sentence: string }> = {
  anthropic: {
    answer: {
      parts: [{ text: "I can" }],
      stop: "refusal",
      stopDetails: { type: "refusal", category: "cyber", explanation: "This is about an attack." },
    },
    sentence: "the model refused to answer (cyber): This is about an attack.",
  },
  responses: {
    answer: { parts: [{ refusal: "I'm sorry, I can't help with that." }] },
    sentence: "the model refused to answer: I'm sorry, I can't help with that.",
  },
  chat: {
    answer: { parts: [{ text: "I can" }], stop: "content_filter" },
    sentence: "the model refused to answer (content_filter)",
  },
  google: {
    answer: { parts: [{ text: "I can" }], stop: "SAFETY" },
    sentence: "the model refused to answer (SAFETY)",
  },
};

describe("[F41] a refusal", () => {
  for (const [protocol, model] of PROTOCOLS)
    wireScenario(
      `[F41] ${protocol}: the run fails as refused after one request, with the provider's reason and token counts`,
      { idle: true, model, respond: () => REFUSALS[protocol].answer },
      async (world, wire) => {
        const runId = await world.run("do something bad");
        const { end, usage } = await world.drive(runId);
        const { sentence: summary } = REFUSALS[protocol];
        expect(end).toMatchObject({ status: "failed", stopReason: "refused", summary });
        expect(wire.requests).toHaveLength(1);
        expect(usage.input).toBeGreaterThan(0);
      },
    );

  wireScenario(
    "[F41] after a refusal, the next model of the chain answers",
    {
      idle: true,
      model: `[${MODELS.anthropic}, ${MODELS.responses}]`,
      respond: ({ provider }) => (provider === "anthropic" ? REFUSALS.anthropic.answer : DONE),
    },
    async (world, wire) => {
      const { end } = await world.drive(await world.run("do something odd"));
      expect(end).toMatchObject({ status: "completed", summary: "Recovered and done." });
      expect(wire.requests.map(({ provider }) => provider)).toEqual(["anthropic", "responses"]);
    },
  );
});

const error = (status: number, message: string, more: object = {}, headers: Record<string, string> = {}) => ({
  error: { status, headers, body: { type: "error", error: { type: "error", message, ...more } } },
});

const RETRY_INFO = { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "33s" }] };
const TRANSIENT: [string, Answer, cause: string, waitMs: number][] = [
  ["status 429 with Retry-After", error(429, "Slow down.", {}, { "retry-after": "7" }), "rate_limit", 7_000],
  ["status 429 with Retry-After 0", error(429, "Slow down.", {}, { "retry-after": "0" }), "rate_limit", 500],
  [
    "status 429 with Retry-After 1",
    error(429, "Slow down.", {}, { "retry-after": "1" }),
    "rate_limit",
    1_000,
  ],
  ["status 429 with RetryInfo", error(429, "Slow.", { code: 429, ...RETRY_INFO }), "rate_limit", 33_000],
  ["status 500", error(500, "Internal server error"), "overloaded", 500],
  ["status 503", error(503, "Unavailable"), "overloaded", 500],
  ["status 529", error(529, "Overloaded"), "overloaded", 500],
  ["a closed connection", { connection: "closed" }, "network", 500],
  ["a stream that is cut", { ...DONE, cut: { after: 2 } }, "network", 500],
];

describe("[F40] a temporary failure", () => {
  for (const [protocol, model] of PROTOCOLS)
    for (const [what, answer, cause, waitMs] of TRANSIENT) {
      const clock = fakeClock();
      wireScenario(
        `[F40] ${protocol}: after ${what} the run waits for the provider, and then completes`,
        { idle: true, model, clock, respond: ({ n }) => (n === 1 ? answer : DONE) },
        async (world, wire) => {
          const from = clock.now();
          const runId = await world.run("go");
          const { status, waitingOn } = await world.drive(runId);
          expect({ status, kind: waitingOn?.kind }).toEqual({ status: "waiting", kind: "provider" });
          expect(waitingOn!.until! - from).toBeGreaterThanOrEqual(waitMs);
          expect((await untilEnd(world, clock, runId)).end?.summary).toBe("Recovered and done.");
          expect(wire.requests).toHaveLength(2);
          expect(payloadsOf(await world.events(runId), "MODEL_CALL_FAILED")).toMatchObject([{ cause }]);
        },
      );
    }
});

const PERMANENT: [string, Answer, sentence: RegExp, advice: RegExp][] = [
  ["a wrong key", error(401, "invalid key"), /refused the API key \(401\)/, /Check the provider's API key/],
  ["an unknown model", error(404, "model: nope"), /rejected the request \(404\): .*nope/, /cadre fork/],
  ["no credit", error(400, "Your credit balance is too low."), /\(400\): .*credit/, /fill up the account/],
  [
    "an exhausted quota",
    error(429, "You exceeded your current quota.", { code: "insufficient_quota" }),
    /\(429\): .*quota/,
    /fill up the account/,
  ],
];

describe("[F40] a permanent failure", () => {
  for (const [protocol, model] of PROTOCOLS)
    for (const [what, answer, sentence, advice] of PERMANENT)
      wireScenario(
        `[F40] ${protocol}: after ${what} the run fails without a retry, and says what to do`,
        { idle: true, model, respond: () => answer },
        async (world, wire) => {
          const runId = await world.run("go");
          const { end } = await world.drive(runId);
          expect(end).toMatchObject({ status: "failed", stopReason: "provider" });
          expect(end?.summary).toMatch(sentence);
          expect(wire.requests).toHaveLength(1);
          const [failed] = payloadsOf(await world.events(runId), "RUN_FAILED");
          expect(failed?.result.suggestions[0]).toMatch(advice);
        },
      );
});

describe("[B2] [P3] a connection that breaks before the answer begins", () => {
  for (const [protocol, model] of PROTOCOLS) {
    const clock = fakeClock();
    wireScenario(
      `[B2] [P3] ${protocol}: the cost of the prompt is estimated, and the run waits as long as in any outage`,
      {
        ...{ idle: true, model, clock, config: "prices: { compat/x: { input: 1, output: 2 } }" },
        respond: ({ n }) => (n <= 8 ? { connection: "closed" } : DONE),
      },
      async (world, wire) => {
        const runId = await world.run("go");
        expect((await untilEnd(world, clock, runId)).end?.summary).toBe("Recovered and done.");
        expect(wire.requests).toHaveLength(9);
        const failures = payloadsOf(await world.events(runId), "MODEL_CALL_FAILED");
        for (const { cause, usage, cost } of failures) {
          expect(cause).toBe("network");
          expect(usage!.input).toBeGreaterThan(100);
          expect(usage!.output).toBe(0);
          expect(cost).toBeGreaterThan(0);
        }
      },
    );
  }

  const clock = fakeClock();
  wireScenario(
    "[B2] a call that reaches no server costs nothing",
    {
      ...{ idle: true, model: MODELS.responses, clock, respond: () => DONE },
      config: "patience: { outage: 10s }",
      env: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
    },
    async (world) => {
      const runId = await world.run("go");
      const { end, usage } = await untilEnd(world, clock, runId);
      expect(end).toMatchObject({ status: "failed", stopReason: "provider" });
      expect(usage).toMatchObject({ input: 0, cost: 0 });
    },
  );
});

describe("[F41] an incomplete answer", () => {
  for (const [protocol, model] of PROTOCOLS) {
    const clock = fakeClock();
    wireScenario(
      `[F41] [B2] ${protocol}: a stream that ends early is not used, and its cost is estimated`,
      {
        idle: true,
        model,
        clock,
        respond: ({ n }) => (n === 1 ? { ...DONE, cut: { after: 2, clean: true } } : DONE),
      },
      async (world) => {
        const runId = await world.run("go");
        expect((await untilEnd(world, clock, runId)).end?.summary).toBe("Recovered and done.");
        const [failure] = payloadsOf(await world.events(runId), "MODEL_CALL_FAILED");
        expect(failure?.cause).toBe("truncated");
        expect(failure!.usage!.input).toBeGreaterThan(100);
      },
    );
  }

  wireScenario(
    "[F41] an answer that Anthropic paused is continued in the next turn",
    {
      idle: true,
      model: MODELS.anthropic,
      respond: ({ n }) => (n === 1 ? { parts: [{ text: "Searching…" }], stop: "pause_turn" } : DONE),
    },
    async (world, wire) => {
      const { end } = await world.drive(await world.run("go"));
      expect(end).toMatchObject({ status: "completed", summary: "Recovered and done." });
      expect(wire.requests).toHaveLength(2);
    },
  );
});

const CAPS: Record<ProtocolName, string> = {
  anthropic: "max_tokens",
  responses: "max_output_tokens",
  chat: "length",
  google: "MAX_TOKENS",
};
const TEXT = { text: "I write the file." };
const HALF_CALL = { call: "Write", raw: '{"path":"b.txt","content":"half of the te' };
const BUSY: Record<ProtocolName, object> = {
  anthropic: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  responses: { type: "error", code: "server_error", message: "Busy", param: null, sequence_number: 2 },
  chat: { error: { code: 503, message: "Busy", type: "server_error" } },
  google: { error: { code: 503, message: "Busy", status: "UNAVAILABLE" } },
};
const BAD_ENDS: [ProtocolName, what: string, Answer, cause: string][] = [
  ...PROTOCOLS.flatMap(([protocol]): [ProtocolName, string, Answer, string][] => [
    [
      protocol,
      "a thought that reaches the output cap",
      { parts: [{ thinking: "Hm" }], stop: CAPS[protocol] },
      "output_cap",
    ],
    [
      protocol,
      "an error event in the stream",
      { parts: [TEXT], midError: { after: 1, data: BUSY[protocol] } },
      "overloaded",
    ],
  ]),
  // Google sends a call in one piece, so it cannot be cut.
  ...(["anthropic", "responses", "chat"] as const).map((protocol): [ProtocolName, string, Answer, string] => [
    protocol,
    "a call that reaches the output cap",
    { parts: [TEXT, HALF_CALL], stop: CAPS[protocol] },
    "output_cap",
  ]),
  ["google", "a malformed call", { parts: [], stop: "MALFORMED_FUNCTION_CALL" }, "truncated"],
  [
    "responses",
    "a failed response",
    { parts: [TEXT], failed: { code: "server_error", message: "The server had an error." } },
    "overloaded",
  ],
];

describe("[F41] an answer that ends badly", () => {
  for (const [protocol, what, answer, cause] of BAD_ENDS) {
    const clock = fakeClock();
    wireScenario(
      `[F41] ${protocol}: ${what} is not used, and the model is asked again`,
      { idle: true, model: MODELS[protocol], clock, respond: ({ n }) => (n === 1 ? answer : DONE) },
      async (world, wire) => {
        const runId = await world.run("go");
        expect((await untilEnd(world, clock, runId)).end?.summary).toBe("Recovered and done.");
        expect(wire.requests).toHaveLength(2);
        const events = await world.events(runId);
        expect(payloadsOf(events, "MODEL_CALL_FAILED")).toMatchObject([{ cause }]);
        expect(payloadsOf(events, "TOOL_PROPOSED")).toEqual([]);
      },
    );
  }
});

describe("[F41] a finished answer whose connection stays open", () => {
  const call = { call: "look", input: { what: '{"finish_reason":"stop"}' } };
  for (const [protocol, model] of PROTOCOLS)
    for (const staysOpen of protocol === "chat" ? (["finished", "unmarked"] as const) : ["finished" as const])
      wireScenario(
        `[36.5] ${protocol}: a finished answer is used at once, with its token counts (${staysOpen})`,
        {
          idle: true,
          model,
          config: "patience: { silence: 20s }",
          respond: ({ n }) => ({ ...(n === 1 ? { parts: [TEXT, call] } : DONE), staysOpen }),
        },
        async (world, wire) => {
          const { end, usage } = await world.drive(await world.run("go"));
          expect(end?.summary).toBe("Recovered and done.");
          expect(wire.requests).toHaveLength(2);
          expect(usage).toMatchObject({ wastedCalls: 0 });
          expect(usage.output).toBe(sumOf(wire.requests.map((request) => request.usage.output)));
        },
      );
});

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const DEPTH = 5_000;
const deepText = `${'{"what":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;

describe("[36.7] a call whose input is nested 5,000 deep", () => {
  for (const [protocol, model] of PROTOCOLS)
    wireScenario(
      `[36.7] ${protocol}: the model gets one error for a call that is nested too deep, and the run continues`,
      {
        idle: true,
        model,
        respond: ({ n }) => (n === 1 ? { parts: [{ call: "look", raw: deepText }] } : DONE),
      },
      async (world, wire) => {
        const runId = await world.run("go");
        expect((await world.drive(runId)).end?.summary).toBe("Recovered and done.");
        expect(wire.requests).toHaveLength(2);
        const { results, last } = wire.requests[1]!;
        expect(`${results[0]} ${last}`).toContain("nested too deep");
      },
    );
});

describe("[36.9] [F41] an answer that reaches the output limit", () => {
  for (const [protocol, model] of PROTOCOLS) {
    wireScenario(
      `[36.9] ${protocol}: a text that the output limit cuts is kept, and the next turn continues it`,
      {
        idle: true,
        model,
        respond: ({ n }) =>
          n <= 2
            ? { parts: [{ thinking: "Hm." }, { text: `Part ${n}, ` }], stop: CAPS[protocol] }
            : { parts: [{ text: "the end." }] },
      },
      async (world, wire) => {
        const { end, usage } = await world.drive(await world.run("go"));
        expect(end).toMatchObject({ status: "completed", summary: "Part 1, Part 2, the end." });
        expect(usage).toMatchObject({ wastedCalls: 0 });
        expect(wire.requests).toHaveLength(3);
        expect(wire.requests.flatMap(({ rejections }) => rejections)).toEqual([]);
        expect(wire.requests[1]!.last).toContain("continue it exactly where it stopped");
        expect(JSON.stringify(wire.requests[2]!.body)).toContain("Part 2, ");
      },
    );

    const clock = fakeClock();
    const isText = protocol === "google";
    wireScenario(
      `[36.9] ${protocol}: if every answer is cut, the run ends as output_limit after a few attempts, and says what to do`,
      {
        idle: true,
        model,
        clock,
        respond: () => ({ parts: isText ? [TEXT] : [TEXT, HALF_CALL], stop: CAPS[protocol] }),
      },
      async (world, wire) => {
        const runId = await world.run("go");
        const { end } = await untilEnd(world, clock, runId);
        expect(end).toMatchObject({ status: "failed", stopReason: "output_limit" });
        expect(wire.requests).toHaveLength(isText ? 11 : 3);
        const [failed] = payloadsOf(await world.events(runId), "RUN_FAILED");
        expect(failed?.result.suggestions[0]).toContain("maxOutputTokens");
      },
    );
  }
});

const limited = fakeClock();
wireScenario(
  "[F40] [B2] a rate limit inside the stream costs nothing, so the run retries more often than after a paid attempt",
  {
    idle: true,
    model: MODELS.chat,
    clock: limited,
    respond: ({ n }) =>
      n <= 8
        ? { ...DONE, midError: { after: 1, data: { error: { code: 429, message: "Slow down" } } } }
        : DONE,
  },
  async (world) => {
    const runId = await world.run("go");
    expect((await untilEnd(world, limited, runId)).end?.summary).toBe("Recovered and done.");
    const failures = payloadsOf(await world.events(runId), "MODEL_CALL_FAILED");
    expect(failures.map(({ cause, usage }) => [cause, usage])).toEqual(
      Array.from({ length: 8 }, () => ["rate_limit", undefined]),
    );
  },
);

/** An answer that arrives in small pieces for ten seconds. */
const DRIP = Array.from({ length: 200 }, () => [{ waitMs: 50 }, { text: "drip " }]).flat();

describe("[F40] a slow model", () => {
  for (const protocol of ["anthropic", "responses", "chat"] as const)
    wireScenario(
      `[F40] ${protocol}: pings and comments show that the provider works, so a long thought does not time out`,
      {
        idle: true,
        model: MODELS[protocol],
        config: "patience: { silence: 1s }",
        respond: () => ({ parts: [{ pings: 5, everyMs: 400 }, { text: "A thought took its time." }] }),
      },
      async (world, wire) => {
        const { end } = await world.drive(await world.run("think"));
        expect(end?.summary).toBe("A thought took its time.");
        expect(wire.requests).toHaveLength(1);
      },
    );

  const clock = fakeClock();
  wireScenario(
    "[F40] [B2] if the provider sends nothing, the request is repeated, and the lost attempt has a cost",
    {
      idle: true,
      model: MODELS.anthropic,
      clock,
      config: "patience: { silence: 1s }",
      respond: ({ n }) => (n === 1 ? { connection: "silent" } : DONE),
    },
    async (world) => {
      const runId = await world.run("go");
      expect((await untilEnd(world, clock, runId)).end?.status).toBe("completed");
      const [failure] = payloadsOf(await world.events(runId), "MODEL_CALL_FAILED");
      expect(failure?.cause).toBe("timeout");
      expect(failure!.cost).toBeGreaterThan(0);
    },
  );

  for (const protocol of ["anthropic", "chat"] as const)
    wireScenario(
      `[F40] [B3] ${protocol}: maxDuration ends a stream that contains only pings, and the run gets its last turn`,
      {
        idle: true,
        model: MODELS[protocol],
        config: "limits: { maxDuration: 1s }",
        respond: ({ n }) => (n === 1 ? { parts: [{ pings: 200, everyMs: 50 }] } : DONE),
      },
      async (world, wire) => {
        const runId = await world.run("think");
        const { end } = await world.drive(runId);
        expect(end).toMatchObject({ stopReason: "max_duration", summary: "Recovered and done." });
        expect(wire.requests).toHaveLength(2);
        expect(payloadsOf(await world.events(runId), "MODEL_CALL_FAILED")).toMatchObject([
          { cause: "timeout" },
        ]);
      },
    );

  for (const [protocol, model] of PROTOCOLS)
    wireScenario(
      `[36.6] [B3] ${protocol}: maxDuration ends an answer that arrives too slowly, and the run gets its last turn`,
      {
        idle: true,
        model,
        config: "limits: { maxDuration: 1s }",
        respond: ({ n }) => (n === 1 ? { parts: DRIP } : DONE),
      },
      async (world, wire) => {
        const runId = await world.run("think");
        const { end } = await world.drive(runId);
        expect(end).toMatchObject({ stopReason: "max_duration", summary: "Recovered and done." });
        expect(wire.requests).toHaveLength(2);
        expect(payloadsOf(await world.events(runId), "MODEL_CALL_FAILED")).toMatchObject([
          { cause: "timeout" },
        ]);
      },
    );
});
