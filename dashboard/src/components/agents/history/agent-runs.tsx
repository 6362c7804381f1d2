// S4-59: the agent's runs, as root and as child, newest first; of all versions or of one.

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { money } from "../../../../../src/projections/words/format.ts";
import { patternRole } from "../../../../../src/projections/words/pattern-role.ts";
import { Failure, Loading } from "../../../display/page-state.tsx";
import { StatusBadge } from "../../../display/status/status-badge.tsx";
import { Elapsed, When } from "../../../display/time/times.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { runsQuery } from "../../../live/queries.ts";
import { Button } from "../../../ui/button.tsx";
import { Panel } from "../../../ui/panel.tsx";

export function AgentRuns({ name, version }: { name: string; version: string | undefined }) {
  const query = useInfiniteQuery(runsQuery({ agent: name, limit: 50 }));
  if (query.isPending) return <Loading what="Loading its runs" />;
  if (query.isError) return <Failure error={query.error} onAgain={() => void query.refetch()} />;
  const all = query.data.pages.flatMap((page) => page.runs);
  const runs = version === undefined ? all : all.filter(({ definition }) => definition === version);
  const title = version === undefined ? "Runs" : `Runs of version ${version.slice(0, 10)}`;
  return (
    <Panel title={title} note="newest first">
      <ul className="divide-y divide-line">
        {runs.map((run) => (
          <li key={run.id}>
            <Link
              to="/r/$runId"
              params={{ runId: run.id }}
              className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-1.5 text-sm hover:bg-raised md:flex-nowrap"
            >
              <span className="w-24 shrink-0">
                <StatusBadge run={run} />
              </span>
              <span className="w-full min-w-0 truncate md:w-auto md:flex-1">
                <VisibleText text={run.task} />
              </span>
              <span className="flex shrink-0 gap-3 text-muted text-xs tabular-nums">
                <span>
                  {run.parentRunId === undefined ? "root" : (patternRole(run) ?? `level ${run.depth}`)}
                </span>
                <span>{money(run.usage.cost, run.usage.unpriced)}</span>
                <Elapsed from={run.createdAt} to={run.endedAt} />
                <When ts={run.createdAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {runs.length === 0 && <p className="p-4 text-muted text-sm">None in the latest {all.length} runs.</p>}
      {query.hasNextPage && (
        <div className="border-line border-t p-2 text-center">
          <Button look="quiet" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {query.isFetchingNextPage ? "Loading…" : "Show older runs"}
          </Button>
        </div>
      )}
    </Panel>
  );
}
