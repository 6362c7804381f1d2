import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { AgentDetail } from "../../../src/api/client/types.ts";
import { AgentFile } from "../components/agents/detail/agent-file.tsx";
import { AgentHeader } from "../components/agents/detail/agent-header.tsx";
import { AgentOverview } from "../components/agents/detail/agent-overview.tsx";
import { AgentReach } from "../components/agents/detail/agent-reach.tsx";
import { AgentHistory } from "../components/agents/history/agent-history.tsx";
import { Loaded } from "../display/page-state.tsx";
import { agentQuery } from "../live/queries.ts";
import { Tabs } from "../ui/tabs.tsx";
import type { AgentTab } from "./search.ts";

export function AgentPage() {
  const { name } = useParams({ from: "/agents/$name" });
  const agent = useQuery(agentQuery(name));
  return (
    <>
      <AgentHeader name={name} agent={agent.data} />
      <Loaded query={agent} what="Loading the agent">
        {(data) => <Parts agent={data} />}
      </Loaded>
    </>
  );
}

const TABS: readonly { value: AgentTab; label: string }[] = [
  { value: "overview", label: "Overview" },
  { value: "file", label: "File" },
  { value: "reach", label: "Tools and reach" },
  { value: "runs", label: "Runs and versions" },
];

function Parts({ agent }: { agent: AgentDetail }) {
  const { tab = "overview", version, line } = useSearch({ from: "/agents/$name" });
  const navigate = useNavigate({ from: "/agents/$name" });
  const show = (next: AgentTab) => void navigate({ search: { tab: next } });
  return (
    <Tabs label="Agent views" value={tab} onChange={show} tabs={TABS}>
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto p-3 md:p-4">
        {tab === "overview" && <AgentOverview agent={agent} />}
        {tab === "file" && <AgentFile key={line} agent={agent} line={line} />}
        {tab === "reach" && <AgentReach agent={agent} />}
        {tab === "runs" && <AgentHistory name={agent.name} version={version} />}
      </div>
    </Tabs>
  );
}
