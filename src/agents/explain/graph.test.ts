import { expect, test } from "vitest";
import { advisors, agentSet, handoff, router, team } from "../agent-set.fixture.ts";
import { drawGraph, drawMermaid, type GraphLine } from "./graph.ts";

const set = agentSet({
  desk: { router: router(["billing", "support"], { fallback: "support" }), handoff: handoff("editor") },
  billing: { advisors: advisors(["risk"]), agents: ["support"] },
  support: { agents: ["billing", "risk"], kind: "main" },
  editor: {},
  risk: { kind: "subagent" },
  panel: { team: team(["risk", "editor"]) },
  alone: {},
});
set.get("alone")!.definition = undefined;

const drawnText = ({ stem, key, name, drawnAbove, broken }: GraphLine): string =>
  `${stem}${key ? `${key} → ` : ""}${name}${broken ? " (broken)" : ""}${drawnAbove ? " ↑" : ""}`;

const text = (name?: string) => drawGraph(set, name).map(drawnText).join("\n");

test("the tree of one agent draws each agent in full once, and marks each repetition", () => {
  expect(text("desk")).toBe(`desk
├─ router → billing
│  ├─ advisors → risk
│  └─ agents → support
│     ├─ agents → billing ↑
│     └─ agents → risk
├─ router → support ↑
└─ handoff → editor`);
});

test("the tree of all agents begins with the agents that no other agent starts; agents on cycles are included", () => {
  expect(
    text()
      .split("\n")
      .filter((line) => !/^[│├└ ]/.test(line)),
  ).toEqual(["alone (broken)", "desk", "panel"]);
  const circle = agentSet({ b: { agents: ["a"] }, a: { agents: ["b"] } });
  expect(drawGraph(circle).map(drawnText)).toEqual(["a", "└─ agents → b", "   └─ agents → a ↑"]);
});

test("the Mermaid graph has an arrow for each key, a unique id for each agent, and escaped names", () => {
  expect(drawMermaid(set, "billing")).toBe(`flowchart LR
  a0["billing"]
  a1("risk")
  a2["support"]
  a0 -.->|advisors| a1
  a0 -->|agents| a2
  a2 -->|agents| a0
  a2 -->|agents| a1`);
  expect(drawMermaid(agentSet({ 'x"]; click a0 "js': {} }))).toBe(
    'flowchart LR\n  a0["x#34;#93;#59; click a0 #34;js"]',
  );
  expect(drawMermaid(set)).toContain('["alone (broken)"]');
});
