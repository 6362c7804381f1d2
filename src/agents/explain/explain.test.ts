import { describe, expect, test } from "vitest";
import { DEFAULT_DELEGATION, type Definition } from "../../journal/definition.ts";
import { rulesFor } from "../../permissions/rules.ts";
import { advisors, agentSet, handoff, router, type Said, team } from "../agent-set.fixture.ts";
import { explain } from "./explain.ts";
import type { OfferedTool, ReachParts } from "./reach.ts";

const TOOLS: OfferedTool[] = [
  { name: "Read", effect: "read", reaches: [] },
  { name: "Write", effect: "idempotent", reaches: ["files"] },
  { name: "Bash", effect: "unsafe", reaches: ["commands", "files", "network"] },
  { name: "WebFetch", effect: "read", reaches: ["network"] },
  { name: "delegate", effect: "idempotent", reaches: ["runtime"] },
];

const offeredTools = ({ tools: { allow, deny } }: Definition): OfferedTool[] =>
  TOOLS.filter(
    (tool) => (allow?.includes(tool.name) ?? true) && !rulesFor(deny, "wide", tool).some((rule) => rule.bare),
  );

function explanationOf(said: Record<string, Said>, more: Partial<ReachParts> = {}) {
  const agents = agentSet(said);
  const a = agents.get("a")!;
  return explain(
    { ...a, definition: a.definition! },
    { agents, offered: offeredTools, limits: {}, hasPrice: () => true, ...more },
  );
}

const tools = (...allow: string[]): Said => ({ tools: { allow, ask: [], deny: [] } });
const ways = (said: Record<string, Said>, more?: Partial<ReachParts>) =>
  explanationOf(said, more).reachable.map(
    ({ agent, ways: found }) =>
      `${agent}: ${found.map(({ path, depth }) => `${path.map(({ key, to }) => `${key} ${to}`).join(", ")} (${depth})`).join("; ")}`,
  );

describe("reachable agents", () => {
  test("paths to other agents are listed with their keys, shortest first; only a delegation increases the depth", () => {
    const said = {
      a: { agents: ["b"], handoff: handoff("d") },
      b: { advisors: advisors(["c"]), handoff: handoff("c") },
      c: { agents: ["d"] },
      d: {},
    };
    expect(ways(said)).toEqual([
      "b: agents b (1)",
      "c: agents b, advisors c (1); agents b, handoff c (1)",
      "d: handoff d (0); agents b, advisors c, agents d (2); agents b, handoff c, agents d (2)",
    ]);
  });

  test("a path stops at the smallest maxDepth, or before an agent that is already on the path; the reason is shown", () => {
    const said = {
      a: { agents: ["b"] },
      b: { agents: ["a", "c"], limits: { maxDepth: 2 } },
      c: { agents: ["d"], limits: { maxDepth: 9 } },
      d: {},
    };
    const { reachable, stops } = explanationOf(said);
    expect(reachable.map(({ agent }) => agent)).toEqual(["b", "c"]);
    expect(stops.map(({ path, why }) => `${path.map(({ to }) => to).join(" ")}: ${why}`)).toEqual([
      "b a: on-the-path",
      "b c d: max-depth",
    ]);
    expect(ways(said, { limits: { maxDepth: 1 } })).toEqual(["b: agents b (1)"]);
  });

  test("a path stops at a broken agent; a list with too many paths is cut, and a note says so", () => {
    expect(explanationOf({ a: { agents: ["gone"] } }).stops).toEqual([
      { path: [{ key: "agents", to: "gone" }], why: "broken" },
    ]);
    const names = ["a", ...Array.from({ length: 30 }, (_, index) => `x${index}`)];
    const crowd = Object.fromEntries(names.map((name) => [name, { agents: names }]));
    const { stops, worstCase } = explanationOf(crowd);
    expect(stops.filter(({ why }) => why === "too-many")).toHaveLength(1);
    expect(worstCase).toEqual({ runs: 100, turns: 10_000, capped: true });
  });
});

describe("tools of reachable agents", () => {
  test("[P12] tools that an agent above denies are not listed; if a rule denies only some calls, the tool is listed with the rule", () => {
    const said = {
      a: { ...tools("Read"), agents: ["b"], permissions: { ask: [], deny: ["Bash"] } },
      b: { agents: ["c"], permissions: { ask: [], deny: ["Write(src/**)"] } },
      c: tools("Bash", "Write"),
    };
    const { tools: own, reachable } = explanationOf(said, { deny: ["WebFetch"] });
    const names = (list: readonly OfferedTool[]) => list.map(({ name }) => name);
    expect(names(own)).toEqual(["Read"]);
    const [b, c] = reachable.map(({ ways: [way] }) => way!);
    expect([names(b!.tools), b!.deny]).toEqual([["Read", "Write", "delegate"], ["Write(src/**)"]]);
    expect([names(c!.tools), c!.deny]).toEqual([["Write"], ["Write(src/**)"]]);
  });

  test("limits from patterns apply: a router has no tools, drafts can only read, and a team limits its members' turns", () => {
    const said: Record<string, Said> = {
      a: { router: router(["b"]), models: ["x/big"] },
      b: { bestOf: { n: 3, strategies: [] }, handoff: handoff("c"), inheritsModel: true },
      c: { team: team(["d"], { memberMaxTurns: 4 }) },
      d: { limits: { maxTurns: 30 } },
    };
    const { tools: own, reachable } = explanationOf(said, { limits: { maxTurns: 15 } });
    const [b, c, d] = reachable.map(({ ways: [way] }) => way!);
    expect(own).toEqual([]);
    expect(b!.tools.map(({ effect }) => effect)).toEqual(["read", "read"]);
    expect([b!.models, c!.models]).toEqual([["x/big"], ["scripted/x"]]);
    expect([c!.limits.maxTurns, d!.limits.maxTurns]).toEqual([15, 4]);
  });
});

test("the blast radius lists each tool that can do more than read, and the paths to the agents that have the tool", () => {
  const said = {
    a: { ...tools("Read", "delegate"), agents: ["b", "c"] },
    b: { ...tools("Write"), handoff: handoff("c") },
    c: tools("Bash", "WebFetch"),
  };
  expect(explanationOf(said).blastRadius).toEqual({
    changesFiles: true,
    runsCommands: true,
    reachesNetwork: true,
    tools: [
      { name: "Bash", effect: "unsafe", by: [{ agent: "c", path: [{ key: "agents", to: "c" }] }] },
      { name: "Write", effect: "idempotent", by: [{ agent: "b", path: [{ key: "agents", to: "b" }] }] },
    ],
  });
  const tests = explanationOf({ a: tools("Bash(npm test)") }, { offered: () => [TOOLS[2]!] });
  expect(tests.tools).toEqual([{ name: "Bash", effect: "unsafe", only: ["Bash(npm test)"] }]);
  expect(tests.blastRadius.tools[0]!.by).toEqual([{ agent: "a", path: [], only: ["Bash(npm test)"] }]);
  const only = (...allow: string[]) => {
    const { changesFiles, runsCommands, reachesNetwork } = explanationOf({ a: tools(...allow) }).blastRadius;
    return [changesFiles, runsCommands, reachesNetwork];
  };
  expect([only("Read", "delegate"), only("Write"), only("WebFetch"), only("Bash")]).toEqual([
    [false, false, false],
    [true, false, false],
    [false, false, true],
    [true, true, true],
  ]);
});

describe("the worst case", () => {
  const one = { limits: { maxTurns: 1 } };
  test.each<[string, Record<string, Said>, { runs: number; turns: number; capped: boolean }]>([
    ["one agent", { a: one }, { runs: 1, turns: 1, capped: false }],
    [
      "advisors and a handoff",
      { a: { ...one, advisors: advisors(["b", "c"]), handoff: handoff("d") }, b: one, c: one, d: one },
      { runs: 4, turns: 4, capped: false },
    ],
    [
      "an agent that starts as many children as its limit allows",
      { a: { agents: ["b"], limits: { maxTurns: 2, maxChildren: 5 } }, b: one },
      { runs: 6, turns: 7, capped: false },
    ],
    [
      "a team in all its rounds",
      { a: { ...one, team: team(["b", "c"], { maxRounds: 3, memberMaxTurns: 2 }) }, b: {}, c: {} },
      { runs: 7, turns: 13, capped: false },
    ],
    [
      "a router that chooses one agent",
      { a: { router: router(["b", "c"]) }, b: one, c: { limits: { maxTurns: 7 } } },
      { runs: 2, turns: 9, capped: false },
    ],
    [
      "drafts and their judge",
      { a: { ...one, bestOf: { n: 3, judge: "b", strategies: [] } }, b: one },
      { runs: 5, turns: 5, capped: false },
    ],
    [
      "drafts that the agent judges itself",
      { a: { ...one, bestOf: { n: 3, strategies: [] } } },
      { runs: 5, turns: 5, capped: false },
    ],
    [
      "a handoff that is retried",
      { a: { ...one, handoff: { agent: "b", onFailure: "retry" } }, b: one },
      { runs: 3, turns: 3, capped: false },
    ],
    [
      "a tree that reaches the maximum number of runs",
      { a: { agents: ["b"] }, b: { agents: ["c"], delegation: DEFAULT_DELEGATION }, c: {} },
      { runs: 100, turns: 10_000, capped: true },
    ],
  ])("the worst case counts the runs and turns of %s", (_title, said, expected) => {
    expect(explanationOf(said).worstCase).toEqual(expected);
  });
});

test("an explanation can be serialised as JSON", () => {
  const value = explanationOf({ a: { agents: ["b"] }, b: {} });
  expect(JSON.parse(JSON.stringify(value))).toEqual(value);
});
