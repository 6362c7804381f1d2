import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { PageHeader } from "../components/page-header.tsx";
import { Failure } from "../display/failure.tsx";
import { Loading } from "../display/loading.tsx";
import { StatusBadge } from "../display/status-badge.tsx";
import { VisibleText } from "../display/visible-text.tsx";
import { runQuery } from "../live/queries.ts";
import { useTreeJournal } from "../live/use-tree-journal.ts";

export function RunPage() {
  const { runId } = useParams({ from: "/r/$runId" });
  const run = useQuery(runQuery(runId));
  if (run.isError) return <Failure error={run.error} onAgain={() => void run.refetch()} />;
  if (!run.data) return <Loading what="Asking for the run" />;
  return <TreeOf key={run.data.rootRunId} rootId={run.data.rootRunId} runId={run.data.id} />;
}

function TreeOf({ rootId, runId }: { rootId: string; runId: string }) {
  const journal = useTreeJournal(rootId);
  const run = journal?.runs.get(runId);
  if (journal?.failure) return <Failure error={journal.failure} />;
  if (!run) return <Loading what="Reading the journal" />;
  return (
    <>
      <PageHeader title={run.row.agent}>
        <StatusBadge run={run.row} />
      </PageHeader>
      <ol className="min-h-0 flex-1 overflow-auto p-4">
        {run.timeline.entries.map((entry) => (
          <li key={entry.seq}>
            <VisibleText text={entry.title} />
          </li>
        ))}
      </ol>
    </>
  );
}
