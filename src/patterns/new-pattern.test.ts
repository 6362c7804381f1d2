// A new pattern needs four changes to product files: its declaration, its decisions, and a line in the list of each.
// This test adds a pattern `duel` with only four changes. Every other part of Cadre must find the pattern through the lists.

import { expect, test, vi } from "vitest";
import { EDGE_LOOKS } from "../../dashboard/src/components/agents/edge-looks.ts";
import { childWords } from "../../dashboard/src/components/timeline/timeline-rows.ts";
import { familyOf, payloadsOf, scenario } from "../../test/support/scenario.ts";
import { agentSet, type Said, team } from "../agents/agent-set.fixture.ts";
import { checkAgents } from "../agents/checks/index.ts";
import { dialectOf } from "../agents/dialects/index.ts";
import { edgesOf } from "../agents/explain/edges.ts";
import { explain } from "../agents/explain/explain.ts";
import { drawMermaid } from "../agents/explain/graph.ts";
import { KNOWN_KEYS } from "../agents/files/known-keys.ts";
import { frontmatterSchema } from "../agents/frontmatter.ts";
import { loadAgents } from "../agents/load.fixture.ts";
import { AgentView } from "../api/routes/agents.ts";
import type { Trigger } from "../journal/events.ts";
import { createReasonFinder } from "../projections/views/reasons.ts";
import { describeEdge } from "../projections/words/blast-radius.ts";
import { patternRole } from "../projections/words/pattern-role.ts";
import { declarePattern } from "./declarations/declaration.ts";
import { duel } from "./declarations/duel.fixture.ts";
import { duel as decisions } from "./duel.fixture.ts";
import { DECISIONS } from "./index.ts";

vi.mock(import("./declarations/index.ts"), async (original) => {
  const { DECLARATIONS } = await original();
  const planted = await import("./declarations/duel.fixture.ts");
  return { DECLARATIONS: [...DECLARATIONS, planted.duel] as unknown as typeof DECLARATIONS };
});

Object.assign(DECISIONS, { duel: decisions });

const DUEL = "duel" as Trigger;
const agent = "duel: { speakers: [second, third] }";
const cast = { second: "", third: "" };
const script = ({ agent: name }: { agent: string }) => ({
  text: name === "third" ? "the longer answer" : "short",
});
const dueling = (...speakers: string[]): Said => ({ duel: { speakers } }) as Said;

scenario("a new pattern starts its children, and ends its run", { agent, cast, script }, async (world) => {
  const runId = await world.run("the task");
  await world.seen(runId, "RUN_COMPLETED", "RUN_FAILED");
  expect((await world.state(runId)).end).toMatchObject({ status: "completed", summary: "the longer answer" });
  const [, ...below] = await familyOf(world, runId);
  expect(below.map(({ agent: name, trigger, parentKey }) => [name, trigger, parentKey])).toEqual([
    ["second", "duel", "speaker/second"],
    ["third", "duel", "speaker/third"],
  ]);

  const events = await world.events(runId);
  const journals = new Map([[runId, events]]);
  const started = events.find(({ type }) => type === "CHILD_RUN_STARTED")!;
  expect(JSON.stringify(createReasonFinder(journals)(started))).toContain("names second as a speaker");
  expect(payloadsOf(events, "CHILD_RUN_STARTED").map(({ trigger }) => trigger)).toEqual(["duel", "duel"]);
});

scenario(
  "the key of a new pattern is parsed and pinned, and its names are resolved",
  { agent, cast, script },
  async (world) => {
    const folders = { project: world.folder, builtin: `${world.folder}/none` };
    const models = { default: "scripted/test", resolve: (name: string) => ({ model: name }) };
    const { agents, problems } = await loadAgents(folders, { models });
    expect(problems).toEqual([]);
    const definition = agents.get("tester")!.definition!;
    expect(definition).toMatchObject({ duel: { speakers: ["second", "third"] } });
    expect(edgesOf(definition)).toEqual([
      { key: "duel", to: "second" },
      { key: "duel", to: "third" },
    ]);
  },
);

test("the editor schema, the parser and the dialects know the key of a new pattern", () => {
  expect(frontmatterSchema()["properties"]).toHaveProperty("duel.description");
  expect(KNOWN_KEYS).toContain("duel");
  expect(dialectOf("agents/a.md", { duel: {}, permission: {} })).toBeUndefined();
});

test("a wrong use of a new pattern is reported", () => {
  const agents = agentSet({
    alone: dueling("b"),
    leaf: { ...dueling("b", "c"), kind: "subagent" },
    busy: { ...dueling("b", "c"), team: team(["b"]) },
    circle: dueling("b", "d"),
    b: {},
    c: {},
    d: dueling("circle", "b"),
  });
  checkAgents(agents);
  const codes = [...agents.values()].map(({ name, problems }) => [name, ...problems.map(({ code }) => code)]);
  expect(codes).toEqual([
    ["alone", "ONE_SPEAKER"],
    ["leaf", "SUBAGENT_PATTERN"],
    ["busy", "INCOMPATIBLE"],
    ["circle", "CYCLE"],
    ["b"],
    ["c"],
    ["d", "CYCLE"],
  ]);
});

test("explanations, diagrams and views show a new pattern", () => {
  const agents = agentSet({ a: dueling("b", "c"), b: {}, c: {} });
  const a = agents.get("a")!;
  const explained = explain(
    { ...a, definition: a.definition! },
    { agents, offered: () => [], limits: {}, hasPrice: () => true },
  );
  expect(explained.worstCase).toMatchObject({ runs: 3 });
  expect(explained.reachable.map((each) => each.agent)).toEqual(["b", "c"]);
  expect(drawMermaid(agents, "a")).toContain("-.->|duel|");
  expect(describeEdge({ agent: "b", from: "a", key: "duel" })).toBe("a duels with b");
  expect(AgentView.shape.edges.safeParse([{ key: "duel", to: "b" }]).success).toBe(true);
  expect(patternRole({ trigger: DUEL, parentKey: "speaker/b" })).toBe("speaker b");
  expect(childWords(DUEL, "speaker/b")).toEqual({ start: "SPEAKER/B", what: "SPEECH" });
  expect(EDGE_LOOKS).toHaveProperty("duel.word", "speaker");
});

test("a pattern's declaration does not compile if one of its fields is missing", () => {
  const { key: _1, ...noKey } = duel;
  const { stage: _2, ...noStage } = duel;
  const { input: _3, ...noInput } = duel;
  const { pinned: _4, ...noPinned } = duel;
  const { pin: _5, ...noPin } = duel;
  const { agentFields: _6, ...noFields } = duel;
  const { isOnlyOurs: _7, ...noOwner } = duel;
  const { trigger: _8, ...noTrigger } = duel;
  const { edge: _9, ...noEdge } = duel;
  const { answer: _10, ...noAnswer } = duel;
  const { worstCase: _11, ...noWorstCase } = duel;
  const { check: _12, ...noCheck } = duel;
  // @ts-expect-error
  declarePattern(noKey);
  // @ts-expect-error
  declarePattern(noStage);
  // @ts-expect-error
  declarePattern(noInput);
  // @ts-expect-error
  declarePattern(noPinned);
  // @ts-expect-error
  declarePattern(noPin);
  // @ts-expect-error
  declarePattern(noFields);
  // @ts-expect-error
  declarePattern(noOwner);
  // @ts-expect-error
  declarePattern(noTrigger);
  // @ts-expect-error
  declarePattern(noEdge);
  // @ts-expect-error
  declarePattern(noAnswer);
  // @ts-expect-error
  declarePattern(noWorstCase);
  // @ts-expect-error
  declarePattern(noCheck);
  // @ts-expect-error: a pattern that is declared needs decisions.
  const missing: Readonly<Record<keyof typeof DECISIONS | "duel", unknown>> = { ...DECISIONS };
  expect(missing).toHaveProperty("duel");
});
