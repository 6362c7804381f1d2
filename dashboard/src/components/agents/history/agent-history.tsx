import { useQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { Command } from "../../../display/command/command.tsx";
import { Failure, Loading } from "../../../display/page-state.tsx";
import { versionsQuery } from "../../../live/queries.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { AgentReplay } from "./agent-replay.tsx";
import { AgentRuns } from "./agent-runs.tsx";
import { VersionList } from "./version-list.tsx";

/** The agent's versions and runs, and a replay of past runs with its current file. */
export function AgentHistory({ name, version }: { name: string; version: string | undefined }) {
  const versions = useQuery(versionsQuery(name));
  if (versions.isPending) return <Loading what="Loading its runs" />;
  if (versions.isError) return <Failure error={versions.error} onAgain={() => void versions.refetch()} />;
  if (versions.data.runs === 0)
    return (
      <EmptyState icon={<Activity size={28} aria-hidden />} title="No runs yet">
        <p>Its runs will appear here, with results for each version of its file.</p>
        <Command words={`run ${name} "…"`} />
      </EmptyState>
    );
  return (
    <>
      <VersionList name={name} data={versions.data} selected={version} />
      <AgentReplay name={name} />
      <AgentRuns name={name} version={version} />
    </>
  );
}
