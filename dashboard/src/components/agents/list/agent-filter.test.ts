import { expect, test } from "vitest";
import type { AgentView } from "../../../../../src/api/client/types.ts";
import { agentsInScope, relevantProblems, searchAgents } from "./agent-filter.ts";

const agent = (name: string, over: Partial<AgentView> = {}): AgentView =>
  ({
    name,
    description: "",
    models: [],
    edges: [],
    problems: [],
    scope: "project",
    kind: "main",
    ...over,
  }) as AgentView;

const agents = [
  agent("lead", { edges: [{ key: "agents", to: "team/coder" }], description: "Leads the work" }),
  agent("team/coder", {
    scope: "builtin",
    models: ["a/big"],
    edges: [{ key: "handoff", to: "team/tester" }],
  }),
  agent("team/tester", { scope: "builtin", edges: [{ key: "agents", to: "lead" }] }),
  agent("ops/coding", { scope: "builtin" }),
];

test("[S1-60] the page lists either all agents, or your agents and the agents that yours can start", () => {
  const names = (scope: "own" | "all") => agentsInScope(agents, scope).map(({ name }) => name);
  expect(names("own")).toEqual(["lead", "team/coder", "team/tester"]);
  expect(names("all")).toHaveLength(4);
  expect(agentsInScope(agents.slice(3), "own")).toEqual([]);
});

test("a search finds the agents whose name, description, kind and models together contain every search word", () => {
  expect(searchAgents(agents, " ")).toBeUndefined();
  expect([...searchAgents(agents, "LEADS work")!]).toEqual(["lead"]);
  expect([...searchAgents(agents, "cod big")!]).toEqual(["team/coder"]);
  expect([...searchAgents([agent("x", { kind: undefined as never })], "broken")!]).toEqual(["x"]);
});

test("a problem that several agents share appears once; warnings about built-in files do not appear", () => {
  const problem = {
    file: "agents/a.md",
    line: 1,
    column: 1,
    code: "X",
    severity: "error" as const,
    message: "no",
  };
  const note = { ...problem, file: "builtin:b.md", severity: "warning" as const };
  const two = [agent("a", { problems: [problem] }), agent("b", { problems: [{ ...problem }, note] })];
  expect(relevantProblems({ agents: two, problems: [] })).toEqual([problem]);
});
