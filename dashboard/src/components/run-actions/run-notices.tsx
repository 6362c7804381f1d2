// The notices at the top of a run's page: a cancel in progress, the answer or the first cause of a failure, and open
// requests of the tree.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { whyOf } from "../../../../src/projections/views/why.ts";
import { clockTime } from "../../../../src/projections/words/format.ts";
import { treeApprovalsQuery } from "../../live/queries.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { OutcomeNotice } from "../outcome/outcome-notice.tsx";
import { journalsOf } from "../why/journals.ts";
import { AnswerCard } from "./answer-card.tsx";
import { ApprovalsStrip } from "./approvals-strip.tsx";
import { cancelProgress } from "./cancel-progress.ts";
import { FailureCard, type FailureCardProps } from "./failure-card.tsx";
import { NoticeBar } from "./notice-bar.tsx";
import { ProviderNotice } from "./provider-notice.tsx";

export interface RunNoticesProps {
  journal: TreeJournal;
  rootId: string;
  runId: string;
  /** The view below already explains the failure. */
  isExplained: boolean;
  /** The answer is already visible elsewhere on the page. */
  isAnswered: boolean;
  onSelect(runId: string, seq?: number): void;
}

export function RunNotices(props: RunNoticesProps) {
  const { journal, rootId, runId, isExplained, isAnswered, onSelect } = props;
  const { data = [] } = useQuery(treeApprovalsQuery(rootId));
  const failure = useFailure(journal, runId);
  const run = journal.runs.get(runId);
  const outcomes = data.filter((item) => item.kind === "outcome" && item.runId === runId);
  const others = data.filter((item) => !outcomes.includes(item));
  return (
    <>
      <StopNotice journal={journal} runId={runId} />
      {run && <ProviderNotice run={run} />}
      {failure && !isExplained && <FailureCard why={failure} onSelect={onSelect} />}
      {run && !isAnswered && <AnswerCard run={run} />}
      {outcomes.map((item) => (
        <OutcomeNotice key={item.id} item={item} />
      ))}
      {others.length > 0 && <ApprovalsStrip items={others} runId={runId} onSelect={onSelect} />}
    </>
  );
}

/** Computed once, because a failed run no longer changes. */
function useFailure(journal: TreeJournal, runId: string): FailureCardProps["why"] | undefined {
  const failed = journal.runs.get(runId)?.row.status === "failed";
  const why = useMemo(
    () => (failed ? whyOf(journalsOf(journal), runId) : undefined),
    [journal, journal.loaded, runId, failed],
  );
  return why?.first && { ...why, first: why.first };
}

/** U41: the progress of a cancel, then the confirmation that nothing is running. */
function StopNotice({ journal, runId }: { journal: TreeJournal; runId: string }) {
  const stopping = cancelProgress(journal.runs, runId);
  if (!stopping) return null;
  return (
    <NoticeBar tone={stopping.phase === "stopping" ? "warn" : "muted"}>
      <span role="status" data-testid="stopping">
        {stopping.phase === "stopping"
          ? `Stopping… ${stopping.done} of ${stopping.of} stopped`
          : `Stopped at ${clockTime(stopping.at)}, nothing is running`}
      </span>
    </NoticeBar>
  );
}
