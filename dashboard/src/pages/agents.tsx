import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import type { Agents } from "../../../src/api/client/types.ts";
import { agentsInScope, relevantProblems, searchAgents } from "../components/agents/list/agent-filter.ts";
import { AgentsTable, NoAgents } from "../components/agents/list/agents-table.tsx";
import { AgentsToolbar } from "../components/agents/list/agents-toolbar.tsx";
import { ProblemList } from "../components/agents/problem-list.tsx";
import { PageHeader } from "../components/shell/page-header.tsx";
import { Loaded, Loading } from "../display/page-state.tsx";
import { activityQuery, agentsQuery } from "../live/queries.ts";
import { Tabs } from "../ui/tabs.tsx";
import type { AgentsSearch, AgentsView } from "./search.ts";

const AgentsGraph = lazy(async () => {
  const { AgentsGraph: component } = await import("../components/agents/graph/agents-graph.tsx");
  return { default: component };
});

export function AgentsPage() {
  const search = useSearch({ from: "/agents" });
  const navigate = useNavigate({ from: "/agents" });
  const agents = useQuery(agentsQuery);
  const change = (next: Partial<Record<keyof AgentsSearch, string | undefined>>) =>
    void navigate({ search: (now) => ({ ...now, ...next }) as AgentsSearch, replace: true });
  return (
    <>
      <PageHeader title="Agents">
        <AgentsToolbar
          q={search.q ?? ""}
          scope={search.scope ?? "own"}
          reloading={agents.isFetching}
          onSearch={(q) => change({ q: q || undefined })}
          onScope={(scope) => change({ scope: scope === "all" ? scope : undefined })}
          onReload={() => void agents.refetch()}
        />
      </PageHeader>
      <Loaded query={agents} what="Loading the agents">
        {(data) => <Views data={data} search={search} onView={(view) => change({ view })} />}
      </Loaded>
    </>
  );
}

/** The graph needs space, so a phone starts with the list. */
const defaultView = (): AgentsView => (matchMedia("(min-width: 768px)").matches ? "graph" : "list");

interface ViewsProps {
  data: Agents;
  search: AgentsSearch;
  onView(view: AgentsView): void;
}

function Views({ data, search, onView }: ViewsProps) {
  const activity = useQuery(activityQuery);
  const { view = defaultView(), scope = "own", q = "" } = search;
  const shown = useMemo(() => agentsInScope(data.agents, scope), [data, scope]);
  const found = useMemo(() => searchAgents(shown, q), [shown, q]);
  const problems = useMemo(() => relevantProblems(data), [data]);
  const tallies = useMemo(
    () => new Map(activity.data?.agents.map((each) => [each.agent, each])),
    [activity.data],
  );
  const listed = found ? shown.filter(({ name }) => found.has(name)) : shown;
  const noMatch = <p className="p-8 text-center text-muted">No agent matches “{q}”.</p>;
  return (
    <Tabs
      label="Views of the agents"
      value={view}
      onChange={onView}
      tabs={[
        { value: "graph", label: "Graph" },
        { value: "list", label: `List (${listed.length})` },
        { value: "problems", label: problems.length > 0 ? `Problems (${problems.length})` : "Problems" },
      ]}
    >
      {view !== "problems" && shown.length === 0 && <NoAgents />}
      {view === "graph" && shown.length > 0 && (
        <Suspense fallback={<Loading what="Drawing the graph" />}>
          <AgentsGraph agents={shown} tallies={tallies} found={found} />
        </Suspense>
      )}
      {view === "list" &&
        shown.length > 0 &&
        (listed.length > 0 ? <AgentsTable agents={listed} tallies={tallies} /> : noMatch)}
      {view === "problems" && (
        <div className="min-h-0 flex-1 overflow-auto">
          <ProblemList
            problems={problems}
            agentOf={({ file }) => data.agents.find((agent) => agent.file === file)?.name}
          />
        </div>
      )}
    </Tabs>
  );
}
