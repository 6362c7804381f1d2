import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { BulkBar } from "../components/runs/bulk-bar.tsx";
import { ColumnMenu } from "../components/runs/column-menu.tsx";
import { useColumns } from "../components/runs/columns.ts";
import type { RunsSearch } from "../components/runs/filter.ts";
import { FilterBar, FilterChips } from "../components/runs/filter-bar.tsx";
import { NoRuns } from "../components/runs/no-runs.tsx";
import { RunList, useSelection } from "../components/runs/run-list.tsx";
import { SavedViews } from "../components/runs/saved-views.tsx";
import { useRuns } from "../components/runs/use-runs.ts";
import { PageHeader } from "../components/shell/page-header.tsx";
import { StartRunButton } from "../components/start-run/start-run-dialog.tsx";
import { Failure, Loading } from "../display/page-state.tsx";

export function RunsPage() {
  const { runId: _, ...search } = useSearch({ from: "/" });
  const navigate = useNavigate();
  const selection = useSelection();
  const columns = useColumns();
  const { rows, about, state, error, isMore, more, again } = useRuns(search);
  const change = useCallback(
    (next: RunsSearch) => void navigate({ to: "/", search: next, replace: true }),
    [navigate],
  );
  return (
    <>
      <PageHeader title="Runs">
        <SavedViews />
        <StartRunButton size="small" className="max-md:h-10 md:ml-auto" />
      </PageHeader>
      <div className="flex shrink-0 flex-col gap-2 border-line border-b bg-surface px-4 py-2">
        <div className="flex items-start gap-2">
          <FilterBar search={search} onChange={change} />
          <ColumnMenu shown={columns.shown} onToggle={columns.toggle} />
        </div>
        <FilterChips search={search} onChange={change} />
      </div>
      {state === "pending" && <Loading what="Loading the runs" />}
      {state === "error" && rows.length === 0 && <Failure error={error} onAgain={again} />}
      {state === "success" && rows.length === 0 && <NoRuns search={search} onChange={change} />}
      {rows.length > 0 && (
        <RunList
          runs={rows}
          about={about}
          search={search}
          columns={columns.shown}
          onSearch={change}
          selection={selection}
          isMore={isMore}
          onMore={more}
          end={isMore && <Loading what="Loading more" />}
        />
      )}
      <BulkBar selection={selection} />
    </>
  );
}
