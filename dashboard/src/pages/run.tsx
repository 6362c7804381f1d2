// The page of a run: the tree on the left, the views in the middle, and the details on the right.

import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Hand } from "lucide-react";
import { useState } from "react";
import type { RunTree } from "../../../src/api/client/types.ts";
import { openItems } from "../../../src/projections/folds/approvals.ts";
import type { EventRef } from "../components/event-detail/event-ref.ts";
import { Branches } from "../components/fork/branches.tsx";
import { ForkDialog, type ForkPoint } from "../components/fork/fork-dialog.tsx";
import { RunActions } from "../components/run-actions/run-actions.tsx";
import { RunNotices } from "../components/run-actions/run-notices.tsx";
import { RunHeader } from "../components/run-header/run-header.tsx";
import { DamageNotice, UnreadableRun } from "../components/run-header/unreadable-run.tsx";
import { Scrubber } from "../components/time-travel/scrubber.tsx";
import { useMoment } from "../components/time-travel/use-moment.ts";
import { approvalTitle } from "../display/approval-title.ts";
import { Failure, Loading } from "../display/page-state.tsx";
import { Moment } from "../display/time/use-now.ts";
import { VisibleText } from "../display/visible-text.tsx";
import { runStateOf } from "../live/folds.ts";
import { treeQuery } from "../live/queries.ts";
import { type TreeJournal, useTreeJournal } from "../live/tree-journal.ts";
import { Button } from "../ui/button.tsx";
import { NoticeBar } from "../ui/notice-bar.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { RunViews } from "./run-views.tsx";
import { showsAnswer, useRunAddress } from "./use-run-address.ts";

export function RunPage() {
  const { runId } = useParams({ from: "/r/$runId" });
  const tree = useQuery(treeQuery(runId));
  if (tree.isError)
    return (
      <Failure error={tree.error} onAgain={() => void tree.refetch()}>
        <Link to="/" className="py-2 text-accent underline">
          All runs
        </Link>
      </Failure>
    );
  if (!tree.data) return <Loading what="Loading the run" />;
  return <TreeOf key={tree.data.rootRunId} top={tree.data} />;
}

/** `top` is the run's row at the time the page was opened. */
function TreeOf({ top }: { top: RunTree }) {
  const journal = useTreeJournal(top.rootRunId);
  if (journal?.failure) return <Failure error={journal.failure} />;
  if (!journal?.runs.has(top.id))
    return journal?.loaded ? <UnreadableRun row={top} /> : <Loading what="Loading the journal" />;
  return (
    <>
      {isDamaged(journal, top) && <DamageNotice runId={top.id} />}
      <RunAt journal={journal} top={top} />
    </>
  );
}

function isDamaged({ runs, loaded }: TreeJournal, top: RunTree): boolean {
  const run = runs.get(top.id)!;
  return run.gaps || top.waitingOn?.kind === "quarantine" || (loaded && run.row.seq < top.seq);
}

/** Shows a run, in the present or at a past moment. */
function RunAt({ journal: live, top }: { journal: TreeJournal; top: RunTree }) {
  const { id: runId, rootRunId: rootId } = top;
  const address = useRunAddress(runId);
  const moment = useMoment(live, address.search.at);
  const [forking, setForking] = useState<ForkPoint>();
  const [isScrubbing, showScrubber] = useState(false);
  const { journal, event: past } = moment;
  const run = journal.runs.get(runId);
  const { agent } = live.runs.get(runId)!.row;
  const fork = (ref: EventRef) => setForking({ ...ref, agent: live.runs.get(ref.runId)?.row.agent ?? agent });
  const forkRun = () => run && fork({ runId, seq: run.row.seq });
  const goTo = (at: number | undefined) => address.change({ at });
  const isAnswered = showsAnswer(address);
  usePageTitle(`${agent}: ${top.task.slice(0, 60)}`);
  return (
    <Moment value={past?.ts}>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        {run && (
          <RunHeader
            journal={journal}
            run={run}
            onSelect={address.go}
            onTimeTravel={() => showScrubber(!isScrubbing)}
            actions={
              !past && <RunActions journal={journal} row={run.row} onGo={address.go} onFork={forkRun} />
            }
          />
        )}
        <Moment value={undefined}>
          <Branches root={live.runs.get(rootId) ?? live.runs.get(runId)!} />
        </Moment>
        <Scrubber moment={moment} isShown={isScrubbing} onChange={goTo} onFork={run && forkRun} />
        {past ? (
          <PastNotices journal={journal} onSelect={address.go} />
        ) : (
          <RunNotices
            {...{ journal, rootId, runId }}
            isExplained={address.search.view === "why"}
            isAnswered={isAnswered}
            onSelect={address.go}
          />
        )}
        {run ? (
          <RunViews journal={journal} rootId={rootId} runId={runId} address={address} onFork={fork} />
        ) : (
          <NotStarted agent={agent} onNow={() => goTo(undefined)} onRoot={() => address.go(rootId)} />
        )}
        <ForkDialog point={forking} onClose={() => setForking(undefined)} onForked={address.leaveFor} />
      </div>
    </Moment>
  );
}

/** Shown if the run had not started at the selected moment. */
function NotStarted({ agent, onNow, onRoot }: { agent: string; onNow(): void; onRoot(): void }) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center">
      <p className="font-medium">{agent} had not started at this moment.</p>
      <span className="flex gap-2">
        <Button className="max-md:h-10" onClick={onRoot}>
          Show the root run
        </Button>
        <Button look="main" className="max-md:h-10" onClick={onNow}>
          Back to now
        </Button>
      </span>
    </div>
  );
}

/** Lists the requests that were open at the selected moment. A person cannot answer them here. */
function PastNotices({ journal, onSelect }: { journal: TreeJournal; onSelect(runId: string): void }) {
  const items = [...journal.runs.values()].flatMap((run) => openItems(runStateOf(run.events)));
  if (items.length === 0) return null;
  return (
    <NoticeBar tone="muted">
      <span className="flex items-center gap-1.5 font-medium">
        <Hand size={14} aria-hidden /> Was waiting for a person
      </span>
      <ul className="flex min-w-0 flex-1 flex-wrap gap-x-4 gap-y-1">
        {items.map((item) => (
          <li key={item.id} className="min-w-0 truncate">
            <button
              type="button"
              className="min-h-10 underline md:min-h-5"
              onClick={() => onSelect(item.runId)}
            >
              {item.agent}
            </button>
            : <VisibleText text={approvalTitle(item)} />
          </li>
        ))}
      </ul>
    </NoticeBar>
  );
}
