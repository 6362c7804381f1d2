// How one agent can come to start another: each way has a line and a word of its own, never a colour alone.

import type { AgentView } from "../../../../src/api/client/types.ts";

export type EdgeKind = AgentView["edges"][number]["key"] | "steps";

export interface EdgeLook {
  /** On the line. */
  word: string;
  /** In the legend: what happens. */
  meaning: string;
  width: number;
  dash?: string;
}

export const EDGE_LOOKS: Readonly<Record<EdgeKind, EdgeLook>> = {
  agents: { word: "delegates", meaning: "gives it a task, and gets the result back", width: 1.5 },
  steps: { word: "steps", meaning: "a module beside its file starts it", width: 1.5, dash: "1 3" },
  handoff: { word: "hands off", meaning: "passes its answer on: the next one finishes", width: 3 },
  router: { word: "routes", meaning: "chooses who gets the whole request", width: 1.5, dash: "9 4" },
  advisors: { word: "advisor", meaning: "is heard before it begins", width: 1.5, dash: "2 4" },
  team: { word: "member", meaning: "takes part in its discussion", width: 1.5, dash: "10 3 2 3" },
  bestOf: { word: "judge", meaning: "picks the best of several drafts", width: 1.5, dash: "5 3" },
};

/** What an agent's module starts are the agents that it names. */
export const edgeKind = (
  agent: Pick<AgentView, "steps">,
  key: AgentView["edges"][number]["key"],
): EdgeKind => (key === "agents" && agent.steps ? "steps" : key);
