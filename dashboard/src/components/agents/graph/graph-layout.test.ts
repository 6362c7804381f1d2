import { expect, test } from "vitest";
import type { AgentView } from "../../../../../src/api/client/types.ts";
import { layout, lineId, NODE, type PlacedAgent } from "./graph-layout.ts";

const agent = (name: string, ...to: string[]): Pick<AgentView, "name" | "edges"> => ({
  name,
  edges: to.map((each) => ({ key: "agents", to: each })),
});

const overlapping = (placed: readonly PlacedAgent[]): string[] =>
  placed.flatMap((a, index) =>
    placed
      .slice(index + 1)
      .filter((b) => Math.abs(a.x - b.x) < NODE.width && Math.abs(a.y - b.y) < NODE.height)
      .map((b) => `${a.name} over ${b.name}`),
  );

test("[S1-60] the graph places an agent left of the agents it starts, and no two cards overlap", () => {
  const agents = [
    agent("lead", "coder", "tester", "gone"),
    agent("coder", "helper"),
    agent("tester", "lead"),
    agent("helper"),
    ...Array.from({ length: 30 }, (_, index) => agent(`alone-${index}`)),
  ];
  const { placed, lines } = layout(agents, 1.6);
  const at = new Map(placed.map((each) => [each.name, each]));
  expect(placed.map(({ name }) => name).toSorted()).toEqual(agents.map(({ name }) => name).toSorted());
  expect(at.get("coder")!.x).toBeGreaterThan(at.get("lead")!.x);
  expect(at.get("helper")!.x).toBeGreaterThan(at.get("coder")!.x);
  expect(overlapping(placed)).toEqual([]);
  const width = Math.max(...placed.map(({ x }) => x)) + NODE.width;
  const height = Math.max(...placed.map(({ y }) => y)) + NODE.height;
  expect(width / height).toBeGreaterThan(0.9);
  expect([...lines.keys()].toSorted()).toEqual([
    lineId("coder", "agents", "helper"),
    lineId("lead", "agents", "coder"),
    lineId("lead", "agents", "tester"),
    lineId("tester", "agents", "lead"),
  ]);
  expect(layout([], 1).placed).toEqual([]);
});
