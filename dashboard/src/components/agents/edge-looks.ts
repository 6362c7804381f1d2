// The ways in which one agent starts another.
// Each way has its own word and line style, so that readers of the graph do not depend on colour.

import type { AgentView } from "../../../../src/api/client/types.ts";
import { ALL_PATTERNS, type PatternKey } from "../../../../src/patterns/declarations/facts.ts";

export type EdgeKind = "agents" | PatternKey;

export interface EdgeLook {
  /** The label on the line in the graph. */
  word: string;
  /** The explanation in the graph's legend. */
  meaning: string;
  width: number;
  dash?: string;
}

export const EDGE_LOOKS = Object.fromEntries([
  ["agents", { word: "delegates", meaning: "gives it a task and gets the result back", width: 1.5 }],
  ...ALL_PATTERNS.map(({ key, edge: { label, meaning, line } }) => [key, { word: label, meaning, ...line }]),
]) as Readonly<Record<EdgeKind, EdgeLook>>;

/** Returns the kind of an edge, which is its key. If an agent runs fixed steps, its `agents` edges have the kind `steps` instead. */
export const edgeKind = (
  agent: Pick<AgentView, "steps">,
  key: AgentView["edges"][number]["key"],
): EdgeKind => (key === "agents" && agent.steps ? "steps" : key);
