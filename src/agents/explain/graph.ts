// Draws which agents start which other agents: as a tree for the terminal, or as a flowchart for Mermaid.
// Each agent is drawn in full only once. If the agent appears again, a mark says that it was drawn above.

import { omitUndefined } from "../../omit-undefined.ts";
import type { Stage } from "../../patterns/declarations/declaration.ts";
import { ALL_PATTERNS, type EdgeKey } from "../../patterns/declarations/facts.ts";
import type { Agent } from "../agent.ts";
import { type Edge, edgesOf } from "./edges.ts";

type Agents = ReadonlyMap<string, Agent>;

/** A line of the tree. `stem` has the branch characters, and `name` is the agent. */
export interface GraphLine {
  stem: string;
  key?: EdgeKey;
  name: string;
  /** Whether the agent's own edges were already drawn on an earlier line. */
  drawnAbove?: true;
  broken?: true;
}

/** Draws the tree of one agent, or the trees of all agents. Agents that no other agent starts come first. */
export function drawGraph(agents: Agents, name?: string): GraphLine[] {
  const drawn = new Set<string>();
  const lines: GraphLine[] = [];
  const draw = (here: string, key: EdgeKey | undefined, [stem, indent]: readonly [string, string]): void => {
    const edges = arrowsOf(agents, here);
    const isRepeated = drawn.has(here) && edges.length > 0;
    lines.push(
      omitUndefined({
        stem,
        key,
        name: here,
        drawnAbove: isRepeated || undefined,
        broken: !agents.get(here)?.definition || undefined,
      }),
    );
    drawn.add(here);
    if (isRepeated) return;
    edges.forEach((edge, index) => {
      const isLast = index === edges.length - 1;
      const [branch, rest] = isLast ? ["└─ ", "   "] : ["├─ ", "│  "];
      draw(edge.to, edge.key, [indent + branch, indent + rest]);
    });
  };
  for (const root of name === undefined ? rootsOf(agents) : [name]) {
    if (!drawn.has(root)) draw(root, undefined, ["", ""]);
  }
  return lines;
}

const ARROWS: Readonly<Record<Stage, string>> = { before: "-.->", work: "-.->", route: "-->", after: "==>" };

/** Solid arrow: a model chooses the agent. Thick arrow: the agent always runs next. Dotted arrow: the agent helps before the answer. */
const arrowFor = (key: EdgeKey): string =>
  ARROWS[ALL_PATTERNS.find((pattern) => pattern.key === key)?.stage ?? "route"];

export function drawMermaid(agents: Agents, name?: string): string {
  const shown = [...shownAgents(agents, name)];
  const ids = new Map(shown.map((agent, index) => [agent, `a${index}`]));
  const nodes = shown.map((agent) => `  ${ids.get(agent)}${shapeOf(agents.get(agent), mermaidText(agent))}`);
  const arrows = shown.flatMap((agent) =>
    arrowsOf(agents, agent).map(
      ({ key, to }) => `  ${ids.get(agent)} ${arrowFor(key)}|${key}| ${ids.get(to)}`,
    ),
  );
  return ["flowchart LR", ...nodes, ...arrows].join("\n");
}

/** Subagents have round shapes, and broken agents have a label. */
function shapeOf(agent: Agent | undefined, text: string): string {
  if (!agent?.definition) return `["${text} (broken)"]`;
  return agent.definition.kind === "subagent" ? `("${text}")` : `["${text}"]`;
}

/** Replaces special characters with entities. Otherwise a name could contain the character that ends Mermaid's quotes. */
const mermaidText = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N} _./-]/gu, (character) => `#${character.codePointAt(0)};`);

function shownAgents(agents: Agents, name: string | undefined): Set<string> {
  const shown = new Set<string>();
  const waiting = name === undefined ? [...agents.keys()].sort() : [name];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (shown.has(next)) continue;
    shown.add(next);
    waiting.push(...arrowsOf(agents, next).map(({ to }) => to));
  }
  return shown;
}

/** Agents that no other agent starts come first. All other agents are on cycles of delegations and are sorted by name. */
function rootsOf(agents: Agents): string[] {
  const names = [...agents.keys()].sort();
  const started = new Set(names.flatMap((name) => arrowsOf(agents, name).map(({ to }) => to)));
  return [...names.filter((name) => !started.has(name)), ...names.filter((name) => started.has(name))];
}

function arrowsOf(agents: Agents, name: string): Edge[] {
  const definition = agents.get(name)?.definition;
  return definition ? edgesOf(definition) : [];
}
