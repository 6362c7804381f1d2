import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { AgentName } from "../../../display/agent/agent-name.tsx";
import { RoleIcon } from "../../../display/agent/role-icon.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";

/** U27: from the root down to the run that asks, with the goal of each. */
export function CardTrail({ trail }: Pick<ApprovalView, "trail">) {
  return (
    <nav aria-label="Who asks">
      <ol className="flex flex-col gap-x-1 gap-y-0.5 text-xs lg:flex-row lg:flex-wrap lg:items-center">
        {trail.map(({ runId, agent, task }, at) => (
          <li key={runId} className="flex min-w-0 items-center gap-1 lg:max-w-[45%]">
            {at > 0 && <ChevronRight size={13} aria-hidden className="shrink-0 text-muted" />}
            <Link
              to="/r/$runId"
              params={{ runId }}
              className="flex min-w-0 items-center gap-1 rounded py-0.5 hover:underline"
            >
              <RoleIcon agent={agent} size={13} />
              <span className="shrink-0 font-medium">
                <AgentName agent={agent} full />
              </span>
              <span className="truncate text-muted" title={task}>
                <VisibleText text={task} />
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
