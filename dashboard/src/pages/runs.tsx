import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { PageHeader } from "../components/page-header.tsx";
import { Failure } from "../display/failure.tsx";
import { Loading } from "../display/loading.tsx";
import { StatusBadge } from "../display/status-badge.tsx";
import { VisibleText } from "../display/visible-text.tsx";
import { runsQuery } from "../live/queries.ts";

export function RunsPage() {
  const { runId: _, ...filter } = useSearch({ from: "/" });
  const runs = useInfiniteQuery(runsQuery(filter));
  return (
    <>
      <PageHeader title="Runs" />
      {runs.isPending && <Loading what="Asking for the runs" />}
      {runs.isError && <Failure error={runs.error} onAgain={() => void runs.refetch()} />}
      <ul className="min-h-0 flex-1 overflow-auto">
        {runs.data?.pages.flatMap((page) =>
          page.runs.map((run) => (
            <li key={run.id} className="border-line border-b">
              <Link
                to="/r/$runId"
                params={{ runId: run.id }}
                className="flex gap-3 px-4 py-2 hover:bg-raised"
              >
                <StatusBadge run={run} />
                <span className="truncate">
                  <VisibleText text={run.task} />
                </span>
              </Link>
            </li>
          )),
        )}
      </ul>
    </>
  );
}
