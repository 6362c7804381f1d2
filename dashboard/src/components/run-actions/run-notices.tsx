// What must be seen before anything else of a run: a cancel under way, its answer or the first cause of its failure, and
// what waits for a person in this tree.

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
  /** The view below tells why it failed. */
  isExplained: boolean;
  /** What it answered is in sight already. */
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

/** A run that has failed does not change any more. */
function useFailure(journal: TreeJournal, runId: string): FailureCardProps["why"] | undefined {
  const failed = journal.runs.get(runId)?.row.status === "failed";
  const why = useMemo(
    () => (failed ? whyOf(journalsOf(journal), runId) : undefined),
    [journal, journal.loaded, runId, failed],
  );
  return why?.first && { ...why, first: why.first };
}

/** U41: first how far it is, then that nothing runs any more. */
function StopNotice({ journal, runId }: { journal: TreeJournal; runId: string }) {
  const stopping = cancelProgress(journal.runs, runId);
  if (!stopping) return null;
  return (
    <NoticeBar tone={stopping.phase === "stopping" ? "warn" : "muted"}>
      <span role="status" data-testid="stopping">
        {stopping.phase === "stopping"
          ? `Stopping… ${stopping.done} of ${stopping.of} stopped`
          : `Stopped ${clockTime(stopping.at)}, nothing running`}
      </span>
    </NoticeBar>
  );
}
