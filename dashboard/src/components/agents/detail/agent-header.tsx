import { Link } from "@tanstack/react-router";
import type { AgentDetail } from "../../../../../src/api/client/types.ts";
import { AgentName } from "../../../display/agent/agent.tsx";
import { PageHeader } from "../../shell/page-header.tsx";
import { StartRunButton } from "../../start-run/start-run-dialog.tsx";
import { AgentBadges } from "../agent-badges.tsx";

/** The agent's name and badges, and a button that starts a run. */
export function AgentHeader({ name, agent }: { name: string; agent: AgentDetail | undefined }) {
  const title = (
    <span className="flex items-center gap-2">
      <Link to="/agents" className="font-normal text-muted hover:text-ink">
        Agents
      </Link>
      <span className="font-normal text-muted">/</span>
      <AgentName agent={name} full />
    </span>
  );
  return (
    <PageHeader title={title}>
      {agent && (
        <span className="flex flex-wrap items-center gap-1">
          <AgentBadges agent={agent} full />
        </span>
      )}
      {agent?.kind === "main" && (
        <span className="md:ml-auto">
          <StartRunButton agent={name} className="h-10 md:h-8" />
        </span>
      )}
    </PageHeader>
  );
}
