// S2-35: an agent by its title. Its name follows with `full`, and whenever another agent has the same title.

import { VisibleText } from "../visible-text.tsx";
import { useAgentFace } from "./use-agent-face.ts";

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
