import { expect, test } from "vitest";
import { z } from "zod";
import { effects, oracleTools } from "../../../test/support/oracle.ts";
import {
  charge,
  look,
  payloadsOf,
  promptOf,
  resultsRead,
  scenario,
  turns,
  typesOf,
} from "../../../test/support/scenario.ts";
import { makeWorld } from "../../../test/support/world.ts";
import { fakeClock } from "../../clock.ts";
import { type AnyTool, defineTool } from "../../tools/tool.ts";
import { decideApproval } from "../commands/person-commands.ts";

/** Mistaken calls that the model makes in its first turn, each with the result that the model gets. */
const NESTED = `${'{"task":'.repeat(5_000)}1${"}".repeat(5_000)}`;

const ODD: [string, { tool: string; input?: unknown; raw?: string; id?: string }, RegExp][] = [
  ["[F43] an unknown tool", { tool: "lok", input: { what: "a" } }, /no tool "lok".*You have: .*look/],
  ["[F43] a tool that the agent is not allowed to use", charge("a"), /no tool "charge" for you/],
  ["[F42] an empty tool name", { tool: "", input: {} }, /no tool ""/],
  ["[F42] malformed JSON", { tool: "look", raw: '{"what": "a' }, /not valid JSON.*\{"what": "a/],
  ["[F42] wrong types", { tool: "look", input: { what: 7 } }, /does not fit.*what/s],
  ["[F42] no object at all", { tool: "look", raw: "[1]" }, /does not fit/],
  ["[F42] a report in malformed JSON", { tool: "final_report", raw: "{{" }, /not valid JSON/],
  ["[36.7] a delegation that is nested too deep", { tool: "delegate", raw: NESTED }, /nested too deep/],
  ["[36.7] a report that is nested too deep", { tool: "final_report", raw: NESTED }, /nested too deep/],
];

for (const [name, call, told] of ODD) {
  scenario(
    `${name} gets a result that tells the model what it may do`,
    { idle: true, agent: "tools: { deny: [charge] }", script: turns({ calls: [call] }) },
    async (world) => {
      const runId = await world.run("try");
      const { end } = await world.drive(runId);
      expect(end?.status).toBe("completed");
      const events = await world.events(runId);
      expect(resultsRead(events)).toEqual([expect.stringMatching(told)]);
      expect(typesOf(events)).not.toContain("TOOL_STARTED");
      expect(effects(world.oracle)).toEqual([]);
    },
  );
}

scenario(
  "[A69] [30.6] a path of more than 4,096 characters is refused before it is judged or previewed",
  {
    idle: true,
    more: [
      defineTool({
        name: "peek",
        description: "Looks at a file.",
        input: z.object({ path: z.string() }),
        effect: "read",
        reaches: [],
        target: { kind: "path", field: "path", use: "reads" },
        execute: async ({ path }) => ({ output: `${path.length} characters` }),
      }),
    ],
    script: turns({
      calls: [
        { tool: "peek", input: { path: "a/".repeat(50_000) } },
        { tool: "peek", input: { path: "a/".repeat(2_048) } },
      ],
    }),
  },
  async (world) => {
    const runId = await world.run("look");
    await world.drive(runId);
    expect(resultsRead(await world.events(runId))).toEqual([
      "The path is longer than 4096 characters; nothing was done.",
      "4096 characters",
    ]);
  },
);

scenario(
  "[F42] the next request is valid for the provider, whatever names, objects or ids the model wrote",
  {
    idle: true,
    script: turns({
      calls: [
        { tool: "", raw: "null", id: "same" },
        { tool: "look", raw: "[1]", id: "same" },
        { tool: "look", raw: '"x"', id: "" },
      ],
    }),
  },
  async (world) => {
    const runId = await world.run("try");
    await world.drive(runId);
    const [, said, read] = promptOf(await world.events(runId));
    const calls = said!.content as { toolCallId: string; toolName: string; input: unknown }[];
    const results = read!.content as { toolCallId: string; toolName: string }[];
    for (const call of calls) {
      expect(call.toolName).not.toBe("");
      expect(call.input).toEqual({});
    }
    expect(new Set(calls.map((call) => call.toolCallId)).size).toBe(3);
    expect(results.map(({ toolCallId, toolName }) => [toolCallId, toolName])).toEqual(
      calls.map(({ toolCallId, toolName }) => [toolCallId, toolName]),
    );
  },
);

scenario(
  "[F42] each result reaches its own call, even if the provider repeats an id in one answer or across turns",
  {
    idle: true,
    script: ({ turn }) =>
      turn <= 2
        ? {
            calls: [
              { ...look(`${turn}a`), id: "call_0" },
              { ...look(`${turn}b`), id: "call_0" },
            ],
          }
        : { text: "done" },
  },
  async (world) => {
    const runId = await world.run("look");
    await world.drive(runId);
    const events = await world.events(runId);
    expect(resultsRead(events)).toEqual(["1a", "1b", "2a", "2b"].map((what) => `look ${what}: done`));
    const ids = promptOf(events).flatMap((message) =>
      message.role === "tool" ? message.content.map((result) => result.toolCallId) : [],
    );
    expect(new Set(ids).size).toBe(4);
  },
);

for (const [name, what] of [
  ["5 MB", "x".repeat(5_000_000)],
  ["text with a lone surrogate", "a\ud800b\u0000"],
] as const) {
  scenario(
    `[F42] an argument of ${name} is stored without loss, and its call runs`,
    { idle: true, script: turns({ calls: [charge(what)] }) },
    async (world) => {
      const runId = await world.run("charge");
      expect((await world.drive(runId)).end?.status).toBe("completed");
      await world.restart();
      expect((await world.state(runId)).calls.size).toBe(0);
      expect(effects(world.oracle)[0]?.input).toBe(what);
      const [thought] = payloadsOf(await world.events(runId), "AGENT_THOUGHT");
      expect(thought?.content[0]).toMatchObject({ input: { what } });
    },
  );
}

scenario(
  "[F43] after five refusals in a row the run stops, and a person can let it continue",
  { idle: true, script: ({ turn }) => ({ calls: [{ tool: `no_${turn}`, input: {} }] }) },
  async (world) => {
    const runId = await world.run("try");
    const state = await world.drive(runId);
    expect(state).toMatchObject({ status: "suspended", turns: 5, waitingOn: { kind: "loop" } });
    expect(state.waitingOn?.detail).toContain("refused");
    await decideApproval(`${runId}:loop/1`, { decision: "approve" }, "ann", world.runtime.people);
    expect(await world.drive(runId)).toMatchObject({
      status: "suspended",
      turns: 10,
      waitingOn: { items: ["loop/2"] },
    });
  },
);

scenario(
  "[F43] a successful call resets the count of refusals",
  {
    idle: true,
    script: ({ turn }) => {
      if (turn > 9) return { text: "done" };
      return { calls: [turn === 5 ? look("a") : { tool: `no_${turn}`, input: {} }] };
    },
  },
  async (world) => {
    expect((await world.drive(await world.run("try"))).end?.status).toBe("completed");
  },
);

scenario(
  "[F45] after three equal calls the model gets a hint; after four the run stops, and a person can let it continue",
  { idle: true, script: ({ turn }) => (turn <= 6 ? { calls: [look("same")] } : { text: "done" }) },
  async (world) => {
    const runId = await world.run("look");
    const state = await world.drive(runId);
    expect(state).toMatchObject({
      status: "suspended",
      turns: 4,
      waitingOn: { kind: "loop", items: ["loop/1"] },
    });
    const before = await world.events(runId);
    const nudges = payloadsOf(before, "CONTEXT_ADDED");
    expect(nudges.map((nudge) => nudge.text)).toEqual([expect.stringContaining("three times")]);
    const nudged = typesOf(before).indexOf("CONTEXT_ADDED");
    expect(payloadsOf(before.slice(0, nudged), "AGENT_THOUGHT")).toHaveLength(3);
    expect(await world.runtime.store.inbox.openItems()).toMatchObject([{ itemId: "loop/1", kind: "loop" }]);
    await decideApproval(`${runId}:loop/1`, { decision: "approve" }, "ann", world.runtime.people);
    const { end } = await world.drive(runId);
    expect(end?.status).toBe("completed");
    expect(payloadsOf(await world.events(runId), "RUN_RESUMED")).toEqual([{ by: "ann" }]);
  },
);

/** Reports the state of a build. */
const buildTool = (state: () => string): AnyTool =>
  defineTool({
    name: "build",
    description: "Shows the state of the build.",
    input: z.object({}),
    effect: "read",
    reaches: [],
    execute: async () => ({ output: state() }),
  });

const watchBuild = ({ turn }: { turn: number }) =>
  turn <= 10 ? { calls: [{ tool: "build", input: {} }] } : { text: "built" };

let jobs = 0;
scenario(
  "[F45] the same call ten times in a row is no loop if its result changes",
  { idle: true, script: watchBuild, more: [buildTool(() => `${++jobs} of 10 jobs are done`)] },
  async (world) => {
    const runId = await world.run("watch the build");
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed", summary: "built" });
    expect(payloadsOf(await world.events(runId), "CONTEXT_ADDED"), "no hint either").toEqual([]);
  },
);

const slow = fakeClock();
scenario(
  "[F45] the same call with the same result is no loop if each call waits",
  {
    idle: true,
    clock: slow,
    script: watchBuild,
    more: [
      buildTool(() => {
        slow.set(slow.now() + 30_000);
        return "still running";
      }),
    ],
  },
  async (world) => {
    const runId = await world.run("watch the build");
    expect((await world.drive(runId)).end).toMatchObject({ status: "completed", summary: "built" });
  },
);

scenario(
  "[F45] if a person decides that a looping run must not continue, the run fails",
  { idle: true, script: () => ({ calls: [look("same")] }) },
  async (world) => {
    const runId = await world.run("look");
    await world.drive(runId);
    await decideApproval(`${runId}:loop/1`, { decision: "reject" }, "ann", world.runtime.people);
    expect((await world.drive(runId)).end).toMatchObject({ status: "failed", stopReason: "loop" });
  },
);

/** Each read waits until all reads have begun, so the reads can finish only if they run in parallel. */
function meetingTool(size: number): AnyTool {
  const all = Promise.withResolvers<void>();
  let here = 0;
  return defineTool({
    name: "meet",
    description: "Waits for the others.",
    input: z.object({ n: z.number() }),
    effect: "read",
    reaches: [],
    async execute({ n }) {
      if (++here === size) all.resolve();
      await all.promise;
      return { output: `met ${n}` };
    },
  });
}

scenario(
  "read-only calls run at the same time",
  {
    idle: true,
    tools: [meetingTool(3)],
    script: turns({ calls: [1, 2, 3].map((n) => ({ tool: "meet", input: { n } })) }),
  },
  async (world) => {
    const runId = await world.run("meet");
    await world.drive(runId);
    expect(resultsRead(await world.events(runId))).toEqual(["met 1", "met 2", "met 3"]);
  },
);

test("results are recorded in the order in which they arrive, but shown to the model in the order of the calls", async () => {
  const second = Promise.withResolvers<void>();
  const slow = defineTool({
    name: "slow",
    description: "Waits for the second.",
    input: z.object({ n: z.number() }),
    effect: "read",
    reaches: [],
    async execute({ n }) {
      if (n === 1) await second.promise;
      return { output: `n${n}` };
    },
  });
  const world = await makeWorld({
    idle: true,
    tools: [slow],
    script: turns({ calls: [1, 2].map((n) => ({ tool: "slow", input: { n } })) }),
    intercept: (append, send) => {
      if (append.events.some((event) => event.type === "TOOL_RESULT" && event.payload.output === "n2"))
        second.resolve();
      return send();
    },
  });
  const runId = await world.run("both");
  await world.drive(runId);
  const events = await world.events(runId);
  expect(payloadsOf(events, "TOOL_RESULT").map((result) => result.output)).toEqual(["n2", "n1"]);
  expect(resultsRead(events)).toEqual(["n1", "n2"]);
  await world.close();
});

scenario(
  "if one call of a turn is not read-only, all calls of the turn run in order",
  { idle: true, script: turns({ calls: [look("a"), charge("b"), look("c")] }) },
  async (world) => {
    const runId = await world.run("in order");
    await world.drive(runId);
    const steps = typesOf(await world.events(runId)).filter((type) => type.startsWith("TOOL_"));
    const inOrder = ["TOOL_STARTED", "TOOL_RESULT"];
    expect(steps.slice(3)).toEqual([...inOrder, ...inOrder, ...inOrder]);
    expect(effects(world.oracle).map((effect) => effect.input)).toEqual(["a", "b", "c"]);
  },
);

scenario(
  "calls beyond the limit of a turn are deferred, and their results state the limit",
  {
    idle: true,
    agent: "limits: { maxToolCallsPerTurn: 2 }",
    script: turns({ calls: [look("a"), look("b"), look("c")] }),
  },
  async (world) => {
    const runId = await world.run("look");
    await world.drive(runId);
    const read = resultsRead(await world.events(runId));
    expect(read).toEqual(["look a: done", "look b: done", expect.stringContaining("At most 2")]);
    expect(effects(world.oracle)).toHaveLength(2);
  },
);

scenario(
  "a chat runs one tool at a time",
  { idle: true, script: turns({ calls: [look("a"), look("b")] }) },
  async (world) => {
    const runId = await world.run("look", { mode: "chat" });
    await world.drive(runId);
    const events = await world.events(runId);
    expect(resultsRead(events)).toEqual(["look a: done", expect.stringContaining("One call at a time")]);
    expect(payloadsOf(events, "TOOL_RESULT").map((result) => result.outcome)).toContain("deferred");
  },
);

scenario(
  "a tool that throws or times out gives an error result, and the run continues",
  {
    idle: true,
    tools: [
      defineTool({
        name: "throws",
        description: "",
        input: z.object({}),
        effect: "unsafe",
        reaches: [],
        async execute() {
          throw new Error("out of cheese");
        },
      }),
      defineTool({
        name: "late",
        description: "",
        input: z.object({}),
        effect: "read",
        reaches: [],
        timeout: 5,
        execute: (_, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve({ output: "stopped", isError: true }));
          }),
      }),
    ],
    script: turns({ calls: [{ tool: "throws" }, { tool: "late" }] }),
  },
  async (world) => {
    const runId = await world.run("try");
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(resultsRead(await world.events(runId))).toEqual(["throws failed: out of cheese", "stopped"]);
  },
);

scenario(
  "output that is too long for the context is stored in full, and the result refers to it",
  {
    idle: true,
    tools: [
      ...oracleTools("unused"),
      defineTool({
        name: "long",
        description: "",
        input: z.object({}),
        effect: "read",
        reaches: [],
        execute: async () => ({ output: "0123456789".repeat(10_000) }),
      }),
    ],
    script: turns({ calls: [{ tool: "long" }] }),
  },
  async (world) => {
    const runId = await world.run("read");
    await world.drive(runId);
    const [result] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(result).toMatchObject({ size: 100_000, output: expect.stringContaining("left out") });
    expect(await world.runtime.store.blobs.get(result!.ref!)).toHaveLength(100_000);
  },
);

scenario(
  "[25.9] the output of a command is cut once, and the agent is told if a part of it was not kept",
  {
    idle: true,
    agent: "tools: [Bash, Read]",
    config: "permissions: { allow: [Bash] }\n",
    script: turns(
      { calls: [{ tool: "Bash", input: { command: "seq 1 30000" } }] },
      { calls: [{ tool: "Bash", input: { command: "seq 1 300000" } }] },
    ),
  },
  async (world) => {
    const runId = await world.run("count");
    await world.drive(runId);
    const [whole, cut] = resultsRead(await world.events(runId)) as [string, string];
    const [, first, last] = /^… lines (\d+)–(\d+) of 30000 left out …$/m.exec(whole)!;
    expect(whole).toContain(`\n${Number(first) - 1}\n… lines`);
    expect(whole).toContain(`left out …\n${Number(last) + 1}\n`);
    expect(whole).toContain("(the whole output: Read or Grep output:m1.0)");
    expect(cut).toContain("(its first and last part: Read or Grep output:m2.0)");
  },
);

const deepTool = defineTool({
  name: "deep",
  description: "Gives an output that contains itself, or that is nested deep.",
  input: z.object({ levels: z.number() }),
  effect: "unsafe",
  reaches: [],
  execute: async ({ levels }) => {
    let output: Record<string, unknown> = {};
    if (levels === 0) output["self"] = output;
    for (let level = 0; level < levels; level++) output = { output };
    return { output };
  },
});

scenario(
  "[36.7] an output that is nested too deep fails its call once: nothing is repeated, and the run continues",
  {
    more: [deepTool],
    config: "permissions: { allow: [deep] }",
    script: turns(
      { calls: [{ tool: "deep", input: { levels: 0 } }] },
      { calls: [{ tool: "deep", input: { levels: 20_000 } }] },
      { text: "done" },
    ),
  },
  async (world) => {
    const runId = await world.run("go");
    expect((await world.settled(runId)).end).toMatchObject({ status: "completed", summary: "done" });
    const results = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(results).toHaveLength(2);
    for (const { output, isError } of results) {
      expect(isError).toBe(true);
      expect(output).toContain("its output is lost");
    }
  },
);
