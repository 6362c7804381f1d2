// Tests that the explanation is complete at any terminal width, and that no line is wider than the terminal.

import { expect, test } from "vitest";
import { advisors, agentSet, handoff, router, team } from "../../../agents/agent-set.fixture.ts";
import { explain } from "../../../agents/explain/explain.ts";
import { wrappedRows } from "../../view/text/table.ts";
import { explanationLines } from "./explain.ts";

const agents = agentSet({
  desk: { router: router(["factory/lead", "panel"]), handoff: handoff("factory/reviewer") },
  "factory/lead": { agents: ["factory/worker"], models: ["x/large", "x/small"] },
  "factory/worker": {
    agents: ["factory/reviewer", "factory/lead"],
    permissions: { ask: [], deny: ["Bash(rm *)"] },
  },
  "factory/reviewer": { limits: { maxTurns: 3, maxCost: 2 } },
  panel: { team: team(["other/reviewer"]), advisors: advisors(["factory/reviewer"]) },
  "other/reviewer": { tools: { allow: [], ask: [], deny: [] } },
});

const lines = (name: string, columns?: number) => {
  const agent = agents.get(name)!;
  const offeredTools = () => [
    { name: "Read", effect: "read" as const },
    { name: "Bash", effect: "unsafe" as const },
  ];
  const parts = { agents, offered: offeredTools, limits: {}, hasPrice: () => true };
  return explanationLines(
    explain({ ...agent, definition: agent.definition! }, parts),
    (_format, text) => text,
    columns,
  );
};

test("the explanation prints an agent's name without its pack, unless two agents have the same short name", () => {
  expect(lines("factory/lead").join("\n")).toContain(`Reaches 2 agents
  worker    directly    Read, Bash · never Bash(rm *) · scripted/x (scripted)
  reviewer  via worker  Read, Bash · never Bash(rm *) · 3 turns · scripted/x (scripted)

Stops at
  lead  via worker  is already at work above
`);
  expect(lines("desk").join("\n")).toContain("Answer  factory/reviewer's, by handoff\n");
  expect(lines("desk")).toContainEqual(
    expect.stringMatching(/^ {2}other\/reviewer +via \(router\) panel, by team +/),
  );
});

test.each([60, 80, 120])("at a width of %i columns, the explanation wraps long cells", (columns) => {
  const shown = lines("desk", columns);
  expect(shown.filter((line) => line.length >= columns)).toEqual([]);
  const words = (text: string[]) => text.join(" ").split(/\s+/).filter(Boolean).sort();
  expect(words(shown)).toEqual(words(lines("desk")));
});

test("if the last column of a table would be too narrow, the cells of each row are printed below each other", () => {
  const rows = [
    ["a", "one", "a few words here and there, up and down"],
    ["bb", "two", "short"],
  ];
  expect(wrappedRows(rows, 40)).toEqual([
    "a   one  a few words here and there, up",
    "         and down",
    "bb  two  short",
  ]);
  expect(wrappedRows(rows, 30)).toEqual([
    "a   one",
    "    a few words here and",
    "    there, up and down",
    "bb  two",
    "    short",
  ]);
  expect(wrappedRows([], 30)).toEqual([]);
});
