// The page of a run, now or at a past moment.

import { useEffect, useState } from "react";
import type { RunTree } from "../../../src/api/client/types.ts";
import type { EventRef } from "../components/event-detail/event-ref.ts";
import { Branches } from "../components/fork/branches.tsx";
import { ForkDialog, type ForkPoint } from "../components/fork/fork-dialog.tsx";
import { RunActions } from "../components/run-actions/run-actions.tsx";
import { RunNotices, type RunNoticesProps } from "../components/run-actions/run-notices.tsx";
import { RunHeader } from "../components/run-header/run-header.tsx";
import { NotStarted } from "../components/time-travel/not-started.tsx";
import { PastNotices } from "../components/time-travel/past-notices.tsx";
import { Scrubber } from "../components/time-travel/scrubber.tsx";
import { useMoment } from "../components/time-travel/use-moment.ts";
import { Moment } from "../display/time/moment.ts";
import type { TreeJournal } from "../live/tree-journal.ts";
import { RunViews } from "./run-views.tsx";
import { useRunAddress, useShowsAnswer } from "./use-run-address.ts";

export function RunAt({ journal: live, top }: { journal: TreeJournal; top: RunTree }) {
  const { id: runId, rootRunId: rootId } = top;
  const address = useRunAddress(runId);
  const moment = useMoment(live, address.search.at);
  const [forking, setForking] = useState<ForkPoint>();
  const { journal, event: past } = moment;
  const run = journal.runs.get(runId);
  const { agent } = live.runs.get(runId)!.row;
  const fork = (ref: EventRef) => setForking({ ...ref, agent: live.runs.get(ref.runId)?.row.agent ?? agent });
  const forkRun = () => run && fork({ runId, seq: run.row.seq });
  const goTo = (at: number | undefined) => address.change({ at });
  useTitle(`${agent}: ${top.task.slice(0, 60)} · Cadre`);
  return (
    <Moment value={past?.ts}>
      <div className="flex min-h-0 flex-1 flex-col">
        {run && (
          <RunHeader
            journal={journal}
            run={run}
            onSelect={address.go}
            actions={
              !past && <RunActions journal={journal} row={run.row} onGo={address.go} onFork={forkRun} />
            }
          />
        )}
        <Moment value={undefined}>
          <Branches root={live.runs.get(rootId) ?? live.runs.get(runId)!} />
        </Moment>
        <Scrubber moment={moment} onChange={goTo} onFork={run && forkRun} />
        <NoticesAt
          past={past !== undefined}
          journal={journal}
          rootId={rootId}
          runId={runId}
          isExplained={address.search.view === "why"}
          isAnswered={useShowsAnswer(address)}
          onSelect={address.go}
        />
        {run ? (
          <RunViews journal={journal} rootId={rootId} runId={runId} address={address} onFork={fork} />
        ) : (
          <NotStarted agent={agent} onNow={() => goTo(undefined)} onRoot={() => address.go(rootId)} />
        )}
        <ForkDialog
          point={forking}
          onClose={() => setForking(undefined)}
          onForked={(id) => address.leaveFor(id)}
        />
      </div>
    </Moment>
  );
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
    return () => {
      document.title = "Cadre";
    };
  }, [title]);
}

/** The notices at the top, for now or for a past moment. */
function NoticesAt({ past, ...props }: RunNoticesProps & { past: boolean }) {
  return past ? <PastNotices {...props} /> : <RunNotices {...props} />;
}
