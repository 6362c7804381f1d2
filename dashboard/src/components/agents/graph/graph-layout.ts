// Positions of the agents in the graph. Dagre lays out each connected group so that an agent is left of the agents it starts.
// The connected groups are packed in rows, the largest group first. Agents that are connected to no other agent follow in a grid.

import dagre from "@dagrejs/dagre";
import type { AgentView } from "../../../../../src/api/client/types.ts";

export const NODE = { width: 232, height: 84 };
const GAP = 40;

export interface Point {
  x: number;
  y: number;
}

export interface PlacedAgent extends Point {
  name: string;
}

/** A line from one agent to another, and the position of the line's label. The line avoids the cards between the two agents. */
export interface Line {
  id: string;
  points: Point[];
  label: Point;
}

export interface Layout {
  placed: PlacedAgent[];
  lines: Map<string, Line>;
}

export const lineId = (from: string, key: string, to: string): string => JSON.stringify([from, key, to]);

type Linked = Pick<AgentView, "name" | "edges">;

/** `ratio` is the width of the view divided by its height. */
export function layout(agents: readonly Linked[], ratio: number): Layout {
  const groups = groupsOf(agents);
  const blocks = groups
    .filter((group) => group.length > 1)
    .map(blockOf)
    .sort((a, b) => b.width * b.height - a.width * a.height);
  const single = groups.filter((group) => group.length === 1).flat();
  const area = [...blocks, ...single.map(() => NODE)].reduce(
    (sum, { width, height }) => sum + (width + GAP) * (height + GAP),
    0,
  );
  const least = Math.max(Math.sqrt(area * ratio), ...blocks.map((block) => block.width));
  const singles = single.map(({ name }) => ({ ...NODE, placed: [{ name, x: 0, y: 0 }], lines: [] }));
  const tries = [1, 1.25, 1.5, 2].map((factor) => inRows([...blocks, ...singles], least * factor));
  return tries.reduce((best, next) => (smallness(next, ratio) < smallness(best, ratio) ? next : best));
}

/** Measures a layout: the larger the result is, the further the view must zoom out to show all cards. */
function smallness({ placed }: Layout, ratio: number): number {
  const width = Math.max(0, ...placed.map(({ x }) => x)) + NODE.width;
  const height = Math.max(0, ...placed.map(({ y }) => y)) + NODE.height;
  return Math.max(width / ratio, height);
}

interface Block {
  width: number;
  height: number;
  placed: PlacedAgent[];
  lines: Line[];
}

/** Groups the agents. If one agent can start another, the two agents are in the same group. */
function groupsOf(agents: readonly Linked[]): Linked[][] {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  const near = new Map(agents.map(({ name }) => [name, new Set<string>()]));
  for (const { name, edges } of agents) {
    for (const { to } of edges) {
      if (!byName.has(to)) continue;
      near.get(name)!.add(to);
      near.get(to)!.add(name);
    }
  }
  const seen = new Set<string>();
  return agents.flatMap(({ name }) => {
    const group: Linked[] = [];
    const waiting = [name];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      group.push(byName.get(next)!);
      waiting.push(...near.get(next)!);
    }
    return group.length > 0 ? [group] : [];
  });
}

function blockOf(group: readonly Linked[]): Block {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", ranksep: 36, nodesep: 20, edgesep: 14 });
  for (const { name } of group) graph.setNode(name, { ...NODE });
  const links = group.flatMap(({ name, edges }) =>
    edges
      .filter(({ to }) => graph.hasNode(to))
      .map(({ key, to }) => ({ from: name, to, id: lineId(name, key, to) })),
  );
  for (const { from, to, id } of links) graph.setEdge(from, to, { ...LABEL }, id);
  dagre.layout(graph);
  const placed = group.map(({ name }) => {
    const { x, y } = graph.node(name) as Point;
    return { name, x: x - NODE.width / 2, y: y - NODE.height / 2 };
  });
  const lines = links.map(({ from, to, id }) => {
    const { points, x, y } = graph.edge(from, to, id) as Point & { points: Point[] };
    const [start, end] = sidesOf(graph.node(from) as Point, graph.node(to) as Point);
    return { id, points: [start, ...points.slice(1, -1), end], label: { x, y } };
  });
  const { width = NODE.width, height = NODE.height } = graph.graph() as { width?: number; height?: number };
  return { width, height, placed, lines };
}

/** A line starts at the side of one card and ends at the facing side of another card. */
function sidesOf(from: Point, to: Point): [Point, Point] {
  const half = ((from.x <= to.x ? 1 : -1) * NODE.width) / 2;
  return [
    { x: from.x + half, y: from.y },
    { x: to.x - half, y: to.y },
  ];
}

/** Size reserved for the label of a line. */
const LABEL = { width: 56, height: 14, labelpos: "c" };

function inRows(blocks: readonly Block[], width: number): Layout {
  const all: Layout = { placed: [], lines: new Map() };
  let [x, y, rowHeight] = [0, 0, 0];
  for (const block of blocks) {
    if (x > 0 && x + block.width > width) {
      y += rowHeight + GAP;
      [x, rowHeight] = [0, 0];
    }
    const shift = <T extends Point>(point: T): T => ({ ...point, x: point.x + x, y: point.y + y });
    all.placed.push(...block.placed.map(shift));
    for (const { id, points, label } of block.lines)
      all.lines.set(id, { id, points: points.map(shift), label: shift(label) });
    x += block.width + GAP;
    rowHeight = Math.max(rowHeight, block.height);
  }
  return all;
}

/** An SVG path: a smooth curve through all points. */
export function smoothPath([first, ...rest]: readonly Point[]): string {
  if (!first) return "";
  const pieces = rest.map((point, index) => {
    const before = rest[index - 1] ?? first;
    const half = (before.x + point.x) / 2;
    return `C${half},${before.y} ${half},${point.y} ${point.x},${point.y}`;
  });
  return `M${first.x},${first.y}${pieces.join("")}`;
}
