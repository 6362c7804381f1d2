import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity, RotateCcw } from "lucide-react";
import { groupReplays } from "../../../../../src/api/client/group-replays.ts";
import type { AgentReplayView } from "../../../../../src/api/client/types.ts";
import { money, plural } from "../../../../../src/projections/words/format.ts";
import { patternRole } from "../../../../../src/projections/words/pattern-role.ts";
import { Command } from "../../../display/command/command.tsx";
import { Failure, Loaded, Loading } from "../../../display/page-state.tsx";
import { StatusBadge } from "../../../display/status/status-badge.tsx";
import { Elapsed, When } from "../../../display/time/times.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { agentReplayQuery, runsQuery, versionsQuery } from "../../../live/queries.ts";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { ScrollBox } from "../../../ui/scroll-box.tsx";
import { VersionList } from "./version-list.tsx";

/** Shows the agent's versions and runs. The user can also replay past runs with the agent's current file. */
export function AgentHistory({ name, version }: { name: string; version: string | undefined }) {
  const versions = useQuery(versionsQuery(name));
  return (
    <Loaded query={versions} what="Loading its runs">
      {(data) =>
        data.runs === 0 ? (
          <EmptyState icon={<Activity size={28} aria-hidden />} title="No runs yet">
            <p>The agent’s runs will appear here, with results for each version of its file.</p>
            <Command words={`run ${name} "…"`} />
          </EmptyState>
        ) : (
          <>
            <VersionList name={name} data={data} selected={version} />
            <AgentReplay name={name} />
            <AgentRuns name={name} version={version} />
          </>
        )
      }
    </Loaded>
  );
}

/** Replays the agent's latest runs with its current file and shows which runs would differ. The replay calls no model. */
function AgentReplay({ name }: { name: string }) {
  const { data, error, isFetching, refetch } = useQuery(agentReplayQuery(name));
  const replay = () => void refetch();
  return (
    <Panel title="Replay with the current file" note="decides past runs again, without calling a model">
      <div className="flex flex-wrap items-center gap-3 px-4 py-2 text-sm">
        <Button size="small" onClick={replay} disabled={isFetching}>
          <RotateCcw size={13} aria-hidden />
          Replay the latest runs
        </Button>
        {isFetching && <Loading what="Replaying" />}
        {data && !isFetching && <Outcome replayed={data} />}
      </div>
      {error && !isFetching && <Failure error={error} onAgain={replay} />}
      {data && !isFetching && groupReplays(data).map((runs) => <Alike key={runs[0]!.runId} runs={runs} />)}
    </Panel>
  );
}

function Outcome({ replayed: { runs, again } }: { replayed: AgentReplayView }) {
  const unread = runs.filter(({ problem }) => problem !== undefined).length;
  return (
    <p role="status">
      {again.runs === 0
        ? `No difference in ${plural(runs.length - unread, "run")}.`
        : `${again.runs} of ${plural(runs.length, "run")} would differ. Running those again would cost about ${money(again.usage.cost, again.usage.unpriced)}.`}
      {unread > 0 && ` ${plural(unread, "run")} could not be replayed.`}
    </p>
  );
}

function Alike({ runs }: { runs: AgentReplayView["runs"] }) {
  return (
    <div className="border-line border-t px-4 py-2 text-sm">
      {runs[0]!.difference!.changes.map(({ what, lines }) => (
        <div key={what} className="mb-2">
          <h3 className="font-medium">{what}</h3>
          <ScrollBox label={`${what}: differences`} className="font-mono text-xs leading-5">
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines may repeat and never move
              <ChangeLine key={index} line={line} />
            ))}
          </ScrollBox>
        </div>
      ))}
      <ul>
        {runs.map(({ runId, task, createdAt, difference }) => (
          <li key={runId} className="flex min-h-8 items-center gap-3">
            <Link
              to="/r/$runId"
              params={{ runId }}
              hash={String(difference!.seq)}
              className="min-w-0 truncate underline hover:text-accent"
            >
              <VisibleText text={task} />
            </Link>
            <span className="shrink-0 text-muted text-xs">
              at #{difference!.seq} · <When ts={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function ChangeLine({ line }: { line: string }) {
  const tone = line.startsWith("+") ? "bg-good-soft" : line.startsWith("-") ? "bg-bad-soft" : "";
  return (
    <span className={classNames("block whitespace-pre", tone)}>
      <VisibleText text={line} />
    </span>
  );
}

/** S4-59: lists the agent's root and child runs, newest first. If `version` is given, lists only the runs of that version. */
function AgentRuns({ name, version }: { name: string; version: string | undefined }) {
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
