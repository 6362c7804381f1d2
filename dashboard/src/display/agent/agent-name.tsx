// S2-35: an agent as people call it, by the title of its file. Its name, which one types, comes behind it where it is asked
// for, and wherever another agent has the same title.

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
