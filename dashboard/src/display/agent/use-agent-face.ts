// The icon, colour and title from an agent's current file.

import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../../live/queries.ts";
import { type AgentFace, agentFace } from "./agent-face.ts";

export function useAgentFace(agent: string): AgentFace {
  const { data } = useQuery({ ...agentsQuery, select: ({ agents }) => agentFace(agents, agent) });
  return data ?? {};
}
