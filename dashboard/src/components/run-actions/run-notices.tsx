// What must be seen before anything else of a run: a cancel under way, the first cause of a failure, and what waits for a
// person in this tree.

import { useQuery } from "@tanstack/react-query";
import { clockTime } from "../../display/words.ts";
import { treeApprovalsQuery } from "../../live/queries.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { ApprovalsStrip } from "./approvals-strip.tsx";
import { FailureCard } from "./failure-card.tsx";
import { failureOf } from "./first-cause.ts";
import { Notice } from "./notice.tsx";
import { OutcomeCard } from "./outcome-card.tsx";
import { ProviderNotice } from "./provider-notice.tsx";
import { stoppingOf } from "./stopping.ts";

export interface RunNoticesProps {
  journal: TreeJournal;
  rootId: string;
  runId: string;
  onSelect(runId: string, seq?: number): void;
}

export function RunNotices({ journal, rootId, runId, onSelect }: RunNoticesProps) {
  const { data = [] } = useQuery(treeApprovalsQuery(rootId));
  const run = journal.runs.get(runId);
  const failure = failureOf(journal.runs, runId);
  const outcomes = data.filter((item) => item.kind === "outcome" && item.runId === runId);
  const others = data.filter((item) => !outcomes.includes(item));
  return (
    <>
      <StopNotice journal={journal} runId={runId} />
      {run && <ProviderNotice run={run} />}
      {failure && <FailureCard failure={failure} runId={runId} onSelect={onSelect} />}
      {outcomes.map((item) => (
        <OutcomeCard key={item.id} item={item} />
      ))}
      {others.length > 0 && <ApprovalsStrip items={others} runId={runId} onSelect={onSelect} />}
    </>
  );
}

/** U41: first how far it is, then that nothing runs any more. */
function StopNotice({ journal, runId }: { journal: TreeJournal; runId: string }) {
  const stopping = stoppingOf(journal.runs, runId);
  if (!stopping) return null;
  return (
    <Notice tone={stopping.phase === "stopping" ? "warn" : "muted"}>
      <span role="status" data-testid="stopping">
        {stopping.phase === "stopping"
          ? `Stopping… ${stopping.done} of ${stopping.of} stopped`
          : `Stopped ${clockTime(stopping.at)}, nothing running`}
      </span>
    </Notice>
  );
}
