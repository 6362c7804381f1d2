// Replays the agent's latest runs with its current file and shows which would differ. Replay decides from the journals,
// without calling a model.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { RotateCcw } from "lucide-react";
import { groupReplays } from "../../../../../src/api/client/group-replays.ts";
import type { AgentReplayView } from "../../../../../src/api/client/types.ts";
import { money, plural } from "../../../../../src/projections/words/format.ts";
import { Failure, Loading } from "../../../display/page-state.tsx";
import { When } from "../../../display/time/times.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { agentReplayQuery } from "../../../live/queries.ts";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Panel } from "../../../ui/panel.tsx";
import { ScrollBox } from "../../../ui/scroll-box.tsx";

export function AgentReplay({ name }: { name: string }) {
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
