// How one agent can start another. Each way has its own word and line style, so the picture does not depend on colour.

import type { AgentView } from "../../../../src/api/client/types.ts";

export type EdgeKind = AgentView["edges"][number]["key"] | "steps";

export interface EdgeLook {
  /** Label on the line. */
  word: string;
  /** Explanation in the legend. */
  meaning: string;
  width: number;
  dash?: string;
}

export const EDGE_LOOKS: Readonly<Record<EdgeKind, EdgeLook>> = {
  agents: { word: "delegates", meaning: "gives it a task and gets the result back", width: 1.5 },
  steps: { word: "steps", meaning: "a module next to the agent's file starts it", width: 1.5, dash: "1 3" },
  handoff: { word: "hands off", meaning: "passes its answer on; the next agent finishes the job", width: 3 },
  router: { word: "routes", meaning: "chooses which agent gets the whole request", width: 1.5, dash: "9 4" },
  advisors: { word: "advisor", meaning: "gives advice before the agent starts", width: 1.5, dash: "2 4" },
  team: { word: "member", meaning: "takes part in the discussion", width: 1.5, dash: "10 3 2 3" },
  bestOf: { word: "judge", meaning: "picks the best of several drafts", width: 1.5, dash: "5 3" },
};

/** An agent with a module of steps starts the agents that its file names from that module. */
export const edgeKind = (
  agent: Pick<AgentView, "steps">,
  key: AgentView["edges"][number]["key"],
): EdgeKind => (key === "agents" && agent.steps ? "steps" : key);
