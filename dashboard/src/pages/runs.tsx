import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { PageHeader } from "../components/page-header.tsx";
import { BulkBar } from "../components/runs/bulk-bar.tsx";
import { filterOf } from "../components/runs/filter.ts";
import { FilterBar, FilterChips } from "../components/runs/filter-bar.tsx";
import { NoRuns } from "../components/runs/no-runs.tsx";
import { RunList } from "../components/runs/run-list.tsx";
import { SavedViews } from "../components/runs/saved-views.tsx";
import { useSelection } from "../components/runs/use-selection.ts";
import { StartRunButton } from "../components/start-run/start-run-button.tsx";
import { Failure } from "../display/failure.tsx";
import { Loading } from "../display/loading.tsx";
import { runsQuery } from "../live/queries.ts";
import type { RunsSearch } from "./runs-search.ts";

const PAGE = 100;

export function RunsPage() {
  const { runId: _, ...search } = useSearch({ from: "/" });
  const navigate = useNavigate();
  const selection = useSelection();
  const filter = filterOf(search, Date.now());
  const runs = useInfiniteQuery({
    ...runsQuery({ ...filter, limit: filter.order ? 500 : PAGE }),
    placeholderData: (before) => before,
  });
  const change = useCallback(
    (next: RunsSearch) => void navigate({ to: "/", search: next, replace: true }),
    [navigate],
  );
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = runs;
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  const rows = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <>
      <PageHeader title="Runs">
        <SavedViews />
        <StartRunButton size="small" className="max-md:h-10 md:ml-auto" />
      </PageHeader>
      <div className="flex shrink-0 flex-col gap-2 border-line border-b bg-surface px-4 py-2">
        <FilterBar search={search} onChange={change} />
        <FilterChips search={search} onChange={change} />
      </div>
      {runs.isPending && <Loading what="Asking for the runs" />}
      {runs.isError && rows.length === 0 && (
        <Failure error={runs.error} onAgain={() => void runs.refetch()} />
      )}
      {runs.isSuccess && rows.length === 0 && <NoRuns search={search} onChange={change} />}
      {rows.length > 0 && (
        <RunList
          runs={rows}
          about={JSON.stringify(search)}
          selection={selection}
          isMore={hasNextPage}
          onMore={more}
          end={hasNextPage && <Loading what="Asking for more" />}
        />
      )}
      <BulkBar selection={selection} />
    </>
  );
}
