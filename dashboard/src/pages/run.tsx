// The page of a run: the tree on the left, the views in the middle, and the details on the right.

import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { RunTree } from "../../../src/api/client/types.ts";
import { DamageNotice, UnreadableRun } from "../components/run-header/unreadable-run.tsx";
import { Failure, Loading } from "../display/page-state.tsx";
import { treeQuery } from "../live/queries.ts";
import { type TreeJournal, useTreeJournal } from "../live/tree-journal.ts";
import { RunAt } from "./run-at.tsx";

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

/** `top` is the run's row when the page was opened. */
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
