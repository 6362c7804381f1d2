// Tests which problems each check reports, and that similar agents without the problem pass.

import { describe, expect, test } from "vitest";
import { problemText } from "../../config/problem.ts";
import { DEFAULT_DELEGATION } from "../../journal/definition.ts";
import { advisors, agentSet, handoff, router, type Said, team } from "../agent-set.fixture.ts";
import { checkAgents, strictProblems } from "./index.ts";

const bestOf = { n: 2, strategies: [] };
const steps = { module: "x.steps.ts", hash: "0" };
const perAgent = { ...DEFAULT_DELEGATION, tool: "per-agent" as const };
const others: Record<string, Said> = { b: {}, c: {}, d: {} };

function check(said: Record<string, Said>, tools: readonly string[] = []) {
  const agents = agentSet({ ...others, ...said });
  checkAgents(agents, tools);
  const lines = [...agents.values()].flatMap(({ problems }) =>
    problems.map((problem) => `${problem.severity} ${problem.code} ${problemText(problem)}`),
  );
  const usable = [...agents.values()].filter(({ definition }) => definition).map(({ name }) => name);
  return { lines, usable, agents };
}

type Row = [title: string, said: Record<string, Said>, line: string];

const errors: Row[] = [
  [
    "[S3-48] a coordinator cannot have a handoff",
    { a: { team: team(["b"]), handoff: handoff("c") } },
    "INCOMPATIBLE agents/a.md:8:1 `team` and `handoff` do not go together: a team's coordinator owns the final answer",
  ],
  [
    "[S3-24] a router cannot have a team",
    { a: { router: router(["b"]), team: team(["c"]) } },
    "INCOMPATIBLE agents/a.md:11:1 `router` and `team` do not go together: a router only chooses who does the work",
  ],
  [
    "[S3-24] a router cannot have steps",
    { a: { router: router(["b"]), steps } },
    "INCOMPATIBLE agents/a.md:13:1 `router` and `steps` do not go together: a router only chooses who does the work",
  ],
  [
    "team and best of n cannot be combined",
    { a: { team: team(["b"]), bestOf } },
    "INCOMPATIBLE agents/a.md:12:1 `team` and `bestOf` do not go together: only one of them can do the agent's work",
  ],
  [
    "best of n and steps cannot be combined",
    { a: { bestOf, steps } },
    "INCOMPATIBLE agents/a.md:13:1 `bestOf` and `steps` do not go together: only one of them can do the agent's work",
  ],
  [
    "[S4-20] an agent whose policy has no `Finalize` needs another agent that gives the answer",
    { a: { finalizes: false } },
    "NO_ANSWER agents/a.md:3:1 its `policy` has no `Finalize`, and there is no other agent whose answer it could return: add `Finalize`, `agents`, `handoff` or `router`",
  ],
  [
    "[S4-20] a coordinator needs Finalize in its policy",
    { a: { finalizes: false, team: team(["b"]) } },
    "NO_ANSWER agents/a.md:3:1 a team's coordinator gives the answer itself, and its `policy` has no `Finalize`: add `Finalize`, or remove `team`",
  ],
  [
    "[S3-28] every agent in a router's `agents` must be one of its destinations",
    { a: { router: router(["b"]), agents: ["b", "c"] } },
    "ROUTER_AGENTS agents/a.md:5:10 a router does not delegate, and `c` is not one of its destinations: add it to `router.destinations`, or take it out of `agents`",
  ],
  [
    "[S3-24] a router cannot have tools",
    { a: { router: router(["b"]), tools: { allow: ["Read", "route_to"], ask: [], deny: [] } } },
    "ROUTER_TOOLS agents/a.md:4:1 a router has no tools but `route_to`: Read: remove `tools`",
  ],
  [
    "a router cannot choose an agent that only people are allowed to start",
    { a: { router: router(["b"]) }, b: { delegable: false } },
    "NOT_DELEGABLE agents/a.md:9:10 only people may start `b`, so a router cannot choose it",
  ],
  [
    "[H5] a judge must not hand off its answer",
    { a: { bestOf: { ...bestOf, judge: "b" } }, b: { handoff: handoff("c") } },
    "JUDGE_GIVES_AWAY agents/a.md:12:10 `b` cannot judge: its `handoff` gives the answer to another agent",
  ],
  ...(["handoff", "router", "advisors", "team", "bestOf"] as const).map(
    (key): Row => [
      `[S4-16] a subagent cannot have ${key}`,
      {
        a: {
          kind: "subagent",
          [key]: {
            handoff: handoff("b"),
            router: router(["b"]),
            advisors: advisors(["b"]),
            team: team(["b"]),
            bestOf,
          }[key],
        },
      },
      `SUBAGENT_PATTERN agents/a.md:${{ handoff: 8, router: 9, advisors: 10, team: 11, bestOf: 12 }[key]}:1 a subagent has no \`${key}\`: make it \`kind: main\``,
    ],
  ),
  [
    "[S3-55] `require` is higher than the number of advisors",
    { a: { advisors: advisors(["b", "c"], 3) } },
    "REQUIRE_TOO_HIGH agents/a.md:10:1 `require: 3` can never be met by 2 advisors",
  ],
  [
    "the quorum is higher than the number of members",
    { a: { team: team(["b"], { quorum: 2 }) } },
    "QUORUM_TOO_HIGH agents/a.md:11:1 `quorum: 2` can never be met by 1 member",
  ],
  [
    "`output` is not a usable JSON Schema",
    { a: { output: { type: "strnig" } } },
    "BAD_SCHEMA agents/a.md:15:1 `output` is no JSON Schema that can be used: Unsupported type: strnig",
  ],
  [
    "two delegates would have the same tool name",
    {
      a: { agents: ["x/b-b", "y/b_b"], delegation: perAgent },
      "x/b-b": {},
      "y/b_b": {},
    },
    "TOOL_NAME agents/a.md:5:11 `x/b-b` and `y/b_b` would both be the tool `run_b_b_agent`: rename it, or use `delegation: { tool: generic }`",
  ],
  [
    "the tool name of a delegate is already in use",
    { a: { agents: ["b"], delegation: perAgent } },
    "TOOL_NAME agents/a.md:5:10 `b` would be the tool `run_b_agent`, which is there already: rename it, or use `delegation: { tool: generic }`",
  ],
];

const warnings: Row[] = [
  [
    "[S4-15] a subagent never delegates",
    { a: { kind: "subagent", agents: ["b"] } },
    "SUBAGENT_DELEGATES agents/a.md:5:10 a subagent never delegates, so `b` is left out: make it `kind: main`",
  ],
  [
    "a delegate must not be an agent that only people are allowed to start",
    { a: { agents: ["b", "c"] }, b: { delegable: false } },
    "NOT_DELEGABLE agents/a.md:5:10 `b` can only be started by people, not by a model: it is left out",
  ],
  [
    "[S4-20] `allowAnswer` is set, but the policy forbids the agent to answer",
    { a: { finalizes: false, router: router(["b"], { allowAnswer: true }) } },
    "ANSWER_WITHHELD agents/a.md:9:1 `allowAnswer` has no effect: its `policy` has no `Finalize`",
  ],
  [
    "`delegation` is set without delegates",
    { a: { delegation: DEFAULT_DELEGATION } },
    "NO_DELEGATES agents/a.md:6:1 `delegation` has no effect: it may not delegate to any agent",
  ],
  [
    "`context` is set without delegates",
    { a: { context: "full" } },
    "NO_DELEGATES agents/a.md:7:1 `context` has no effect: it may not delegate to any agent",
  ],
  [
    "best of n has only one draft",
    { a: { bestOf: { n: 1, strategies: [] } } },
    "ONE_DRAFT agents/a.md:12:1 the best of one draft is that draft: give `n` of 2 or more",
  ],
  [
    "best of n has more strategies than drafts",
    { a: { bestOf: { n: 2, strategies: ["x", "y", "z"] } } },
    "STRATEGIES_UNUSED agents/a.md:12:1 3 strategies for 2 drafts: the last ones are not used",
  ],
  [
    "a limit allows no turns",
    { a: { limits: { maxTurns: 0 } } },
    "LIMIT_ZERO agents/a.md:16:1 `maxTurns: 0` ends every run before its first turn",
  ],
  [
    "a limit allows no delegation",
    { a: { agents: ["b"], limits: { maxDepth: 0 } } },
    "LIMIT_ZERO agents/a.md:16:1 `maxDepth: 0` prevents all delegation",
  ],
  [
    "a limit allows no children",
    { a: { handoff: handoff("b"), limits: { maxChildren: 0 } } },
    "LIMIT_ZERO agents/a.md:16:1 `maxChildren: 0` prevents it from starting any agent",
  ],
];

describe("rules about one agent", () => {
  test.each(errors)("the check reports an error: %s", (_title, said, line) => {
    const { lines, usable } = check(said, ["Read", "run_b_agent"]);
    expect(lines).toEqual([`error ${line}`]);
    expect(usable).not.toContain("a");
  });

  test.each(warnings)("the check reports a warning: %s", (_title, said, line) => {
    const { lines, usable, agents } = check(said);
    expect(lines).toEqual([`warning ${line}`]);
    expect(usable).toContain("a");
    if (/is left out/.test(line)) expect(agents.get("a")!.definition!.agents).not.toContain("b");
  });

  test("[S4-6] a policy that forbids every delegate is reported; a policy that allows some delegates is not", () => {
    const withheld = (left: string[]) => {
      const agents = agentSet({ ...others, a: { agents: ["b", "c"] } });
      const a = agents.get("a")!;
      a.definition = { ...a.definition!, agents: left };
      checkAgents(agents);
      return a.problems.map(problemText);
    };
    expect(withheld([])).toEqual([
      "agents/a.md:5:1 `agents` names agents, but its `policy` allows delegation to none of them: add `Delegate` to `policy`, or remove `agents`",
    ]);
    expect(withheld(["c"])).toEqual([]);
  });

  test("the checks do not report values that a dialect filled in", () => {
    const agents = agentSet({ a: { context: "full" } });
    agents.get("a")!.dialect = "roles";
    checkAgents(agents);
    expect(agents.get("a")!.problems).toEqual([]);
  });

  test("if a check removes a delegate, the delegate is also removed from the list that the model sees", () => {
    const told = ["b", "c"].map((name) => ({ name, agent: name, description: "" }));
    const { agents } = check({ a: { agents: ["b", "c"], delegates: told }, b: { delegable: false } });
    expect(agents.get("a")!.definition).toMatchObject({ agents: ["c"], delegates: [{ agent: "c" }] });
  });

  test("if a tool name is too long for model providers, the check reports an error", () => {
    const long = "x".repeat(60);
    const { lines } = check({ a: { agents: [long], delegation: perAgent }, [long]: {} });
    expect(lines[0]).toContain("is longer than the 64 characters that providers take");
  });
});

test("[S3-67] patterns that can be combined are not reported", () => {
  const fine: Said[] = [
    { advisors: advisors(["b"]), handoff: handoff("c"), agents: ["d"] },
    { router: router(["b", "c"], { fallback: "d" }), agents: ["b", "c", "d"], handoff: handoff("d") },
    { router: router(["b"]), advisors: advisors(["c"]), tools: { allow: [], ask: [], deny: [] } },
    { team: team(["b", "c"], { quorum: 2 }), advisors: advisors(["d"], "all"), agents: ["d"] },
    { bestOf: { ...bestOf, judge: "b" }, handoff: handoff("c") },
    { steps, agents: ["b"], handoff: handoff("c"), context: "none" },
    { finalizes: false, agents: ["b"] },
    { finalizes: false, handoff: handoff("b") },
    { finalizes: false, bestOf },
    { steps, delegation: DEFAULT_DELEGATION },
    { advisors: advisors(["b", "c"], 2) },
    { limits: { maxChildren: 0, maxDepth: 0 } },
    { kind: "subagent", limits: { maxTurns: 1, maxDepth: 0 } },
    { agents: ["b", "c"], delegation: perAgent, context: "full" },
    { input: { type: "object" }, output: { type: "object", properties: { x: { enum: ["a", 1] } } } },
  ];
  for (const said of fine) expect(check({ a: said }).lines).toEqual([]);
});

describe("cycles of agents", () => {
  const lines = (said: Record<string, Said>) => check(said).lines.map((line) => line.split(": an agent")[0]);

  test("[S3-14] every agent on a cycle gets an error that shows the path back to itself", () => {
    expect(lines({ a: { handoff: handoff("b") }, b: { team: team(["c", "a"]) } })).toEqual([
      "error CYCLE agents/b.md:11:11 cycle: b → (team) a → (handoff) b",
      "error CYCLE agents/a.md:8:10 cycle: a → (handoff) b → (team) a",
    ]);
  });

  test("[S3-49] a cycle is found through any pattern, even if it includes a judge or a fallback", () => {
    for (const said of [
      { advisors: advisors(["b"]) },
      { router: router(["c"], { fallback: "b" }) },
      { bestOf: { ...bestOf, judge: "b" } },
    ])
      expect(lines({ a: said, b: { advisors: advisors(["a"]) } })).toHaveLength(2);
    expect(lines({ a: { handoff: handoff("a") } })).toEqual([
      "error CYCLE agents/a.md:8:10 cycle: a → (handoff) a",
    ]);
  });

  test("[F22] a cycle of delegations is not an error; two paths to the same agent are not an error either", () => {
    expect(lines({ a: { agents: ["b"] }, b: { agents: ["a"] } })).toEqual([]);
    expect(lines({ a: { agents: ["b"] }, b: { handoff: handoff("a") } })).toEqual([]);
    expect(
      lines({
        a: { advisors: advisors(["b", "c"]) },
        b: { handoff: handoff("d") },
        c: { handoff: handoff("d") },
      }),
    ).toEqual([]);
  });
});

test("[S3-50] an agent that depends on a broken agent is broken too; an agent that only delegates to a broken agent is not", () => {
  const { lines, usable, agents } = check({
    a: { handoff: handoff("b") },
    b: { advisors: advisors(["c"]) },
    c: { finalizes: false },
    d: { agents: ["a", "c"] },
  });
  expect(lines.filter((line) => line.includes("BROKEN"))).toEqual([
    "error BROKEN_TARGET agents/b.md:10:10 `advisors` names `c`, which cannot be used: mend agents/c.md:3:1",
    "warning BROKEN_TARGET agents/d.md:5:11 `agents` names `c`, which cannot be used and is left out: mend agents/c.md:3:1",
    "warning BROKEN_TARGET agents/d.md:5:10 `agents` names `a`, which cannot be used and is left out: mend agents/a.md:8:10",
    "error BROKEN_TARGET agents/a.md:8:10 `handoff` names `b`, which cannot be used: mend agents/b.md:10:10",
  ]);
  expect([usable, agents.get("d")!.definition!.agents]).toEqual([["d"], []]);
});

describe("[S3-15] an agent's output must fit the input of the agent it hands off to", () => {
  const object = (properties: Record<string, unknown>, required: string[] = Object.keys(properties)) => ({
    type: "object",
    properties,
    required,
  });
  const [text, number] = [{ type: "string" }, { type: "number" }];

  test.each([
    ["a missing property", object({ x: text }), object({ y: text }), "`y` is required and not in it"],
    [
      "a property of another type",
      object({ x: text }),
      object({ x: number }),
      "`x` may be string, and the input takes number",
    ],
    [
      "a property that can be null",
      object({ x: { type: ["string", "null"] } }),
      object({ x: text }),
      "`x` may be null, and the input takes string",
    ],
    [
      "a value that the target does not accept",
      object({ x: { enum: ["a", "b"] } }),
      object({ x: { enum: ["a"] } }),
      '`x` may be "b", and the input takes "a"',
    ],
    [
      "a nested property",
      object({ list: { type: "array", items: object({ x: text }) } }),
      object({ list: { type: "array", items: object({ x: { type: "boolean" } }) } }),
      "`list.items.x` may be string, and the input takes boolean",
    ],
    ["an output of another type", text, object({}), "it may be string, and the input takes object"],
  ])(
    "a handoff is reported if the output does not fit the next agent's input: %s",
    (_title, output, input, why) => {
      expect(check({ a: { output, handoff: handoff("b") }, b: { input } }).lines).toEqual([
        `error HANDOFF_MISFIT agents/a.md:8:10 the output of \`a\` does not fit the input of \`b\`: ${why}`,
      ]);
    },
  );

  test.each([
    ["more properties than needed", object({ x: text, y: text }), object({ x: text })],
    ["an optional input", object({ x: text }), object({ y: text }, [])],
    ["an integer for a number", object({ x: { type: "integer" } }), object({ x: number })],
    [
      "a string that might be one of the accepted values",
      object({ x: text }),
      object({ x: { enum: ["a"] } }),
    ],
    [
      "an output with anyOf, which the check does not compare",
      { anyOf: [text, number] },
      object({ x: text }),
    ],
    ["an agent that declares no output schema", undefined, object({ x: text })],
  ])("an output fits the next agent's input: %s", (_title, output, input) => {
    expect(check({ a: { output, handoff: handoff("b") }, b: { input } }).lines).toEqual([]);
  });

  test("if a router has a handoff, the answer of the chosen agent is handed off", () => {
    const said = {
      a: { router: router(["b", "c"]), handoff: handoff("d") },
      b: { output: object({ x: text }) },
      c: { handoff: handoff("e") },
      e: { output: object({ z: text }) },
      d: { input: object({ x: text }) },
    };
    expect(check(said).lines).toEqual([
      "error HANDOFF_MISFIT agents/a.md:8:12 the output of `e` does not fit the input of `d`: `x` is required and not in it",
    ]);
  });
});

test("the order of the agents does not change which problems the checks find", () => {
  const said: Record<string, Said> = {
    a: { handoff: handoff("b"), agents: ["d"] },
    b: { handoff: handoff("a") },
    c: { advisors: advisors(["a"]) },
    d: { delegable: false },
    e: { agents: ["d", "c"] },
  };
  const problems = (names: string[]) => {
    const agents = agentSet(Object.fromEntries(names.map((name) => [name, said[name]!])));
    checkAgents(agents);
    return Object.fromEntries([...agents].map(([name, agent]) => [name, agent.problems.map(problemText)]));
  };
  const names = Object.keys(said);
  expect(problems(names.toReversed())).toEqual(problems(names));
});

test("the option `strict` turns every warning into an error", () => {
  const { agents } = check({ a: { context: "full" } });
  expect(strictProblems(agents.get("a")!.problems).map(({ severity }) => severity)).toEqual(["error"]);
});

test("[RN9] keys that have no effect on an external program are reported", () => {
  const runner = { acp: { command: "x" } };
  expect(check({ a: { runner, agents: ["b"] }, b: {} }).lines).toEqual([
    expect.stringContaining("warning NO_EFFECT"),
  ]);
  expect(check({ a: { runner, output: { type: "object" } } }).lines).toEqual([
    expect.stringContaining("error INCOMPATIBLE"),
  ]);
});
