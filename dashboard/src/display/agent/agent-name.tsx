// S2-35: an agent by its title. Its name follows with `full`, and whenever another agent has the same title.

import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../../live/queries.ts";
import { VisibleText } from "../visible-text.tsx";
import { type AgentFace, agentFace } from "./agent-face.ts";

export function AgentName({ agent, full = false }: { agent: string; full?: boolean }) {
  const { title, isShared = false } = useAgentFace(agent);
  if (title === undefined) return <VisibleText text={agent} />;
  return (
    <span title={agent}>
      <VisibleText text={title} />
      {(full || isShared) && (
        <>
          {" "}
          <span className="font-normal text-muted text-xs">
            <VisibleText text={agent} />
          </span>
        </>
      )}
    </span>
  );
}

// The icon, colour and title from an agent's current file.
export function useAgentFace(agent: string): AgentFace {
  const { data } = useQuery({ ...agentsQuery, select: ({ agents }) => agentFace(agents, agent) });
  return data ?? {};
}
