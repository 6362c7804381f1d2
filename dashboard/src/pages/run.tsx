// One run of a tree: the tree to get about in, what happened in the middle, and on the right what is looked at.

import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import type { RunTree } from "../../../src/api/schema.ts";
import { RunActions } from "../components/run-actions/run-actions.tsx";
import { RunNotices } from "../components/run-actions/run-notices.tsx";
import { RunHeader } from "../components/run-header/run-header.tsx";
import { DamageNotice, UnreadableRun } from "../components/run-header/unreadable-run.tsx";
import { Failure } from "../display/failure.tsx";
import { Loading } from "../display/loading.tsx";
import { treeQuery } from "../live/queries.ts";
import type { TreeJournal } from "../live/tree-journal.ts";
import { useTreeJournal } from "../live/use-tree-journal.ts";
import { RunViews } from "./run-views.tsx";
import { useRunAddress } from "./use-run-address.ts";

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
  if (!tree.data) return <Loading what="Asking for the run" />;
  return <TreeOf key={tree.data.rootRunId} top={tree.data} />;
}

/** `top`: the run as the list of runs had it when the page was opened. */
function TreeOf({ top }: { top: RunTree }) {
  const journal = useTreeJournal(top.rootRunId);
  if (journal?.failure) return <Failure error={journal.failure} />;
  if (!journal?.runs.has(top.id))
    return journal?.loaded ? <UnreadableRun row={top} /> : <Loading what="Reading the journal" />;
  return <RunOf journal={journal} top={top} />;
}

function RunOf({ journal, top }: { journal: TreeJournal; top: RunTree }) {
  const { id: runId, rootRunId: rootId } = top;
  const address = useRunAddress(runId);
  const run = journal.runs.get(runId)!;
  useEffect(() => {
    document.title = `${run.row.agent}: ${run.row.task.slice(0, 60)} · Cadre`;
    return () => {
      document.title = "Cadre";
    };
  }, [run.row.agent, run.row.task]);
  const isDamaged =
    run.gaps || top.waitingOn?.kind === "quarantine" || (journal.loaded && run.row.seq < top.seq);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <RunHeader
        journal={journal}
        run={run}
        onSelect={address.go}
        actions={<RunActions journal={journal} row={run.row} onGo={address.go} />}
      />
      {isDamaged && <DamageNotice runId={runId} />}
      <RunNotices journal={journal} rootId={rootId} runId={runId} onSelect={address.go} />
      <RunViews journal={journal} rootId={rootId} runId={runId} address={address} />
    </div>
  );
}
