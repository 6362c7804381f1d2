// The list side of the inbox: the last confirmation, the open requests, and the runs to resume.

import { Link } from "@tanstack/react-router";
import type { ApprovalView, RunSummary } from "../../../../../src/api/client/types.ts";
import { classNames } from "../../../ui/class-names.ts";
import { NothingWaits } from "./nothing-waits.tsx";
import { QueueList } from "./queue-list.tsx";
import { needsResume, RunsToResume } from "./runs-to-resume.tsx";
import type { Queue } from "./use-queue.ts";

export interface QueuePaneProps {
  queue: Queue;
  runs: readonly RunSummary[];
  current: string | undefined;
  said: string | undefined;
  /** The item answered last. Its run may end and disappear from every list here, so it gets a link. */
  last: ApprovalView | undefined;
}

export function QueuePane({ queue, runs, current, said, last }: QueuePaneProps) {
  const toResume = runs.filter(needsResume);
  const isEmpty = queue.rows.length === 0 && toResume.length === 0;
  return (
    <>
      <Confirmation text={said} />
      {last && <AnsweredRun runId={last.runId} />}
      {isEmpty ? <NothingWaits running={runs} /> : <QueueList queue={queue} current={current} />}
      <RunsToResume runs={toResume} />
    </>
  );
}

function Confirmation({ text }: { text: string | undefined }) {
  return (
    <p
      role="status"
      className={classNames("truncate px-3 text-good text-xs", text !== undefined && "py-1.5")}
    >
      {text}
    </p>
  );
}

const AnsweredRun = ({ runId }: { runId: string }) => (
  <p className="truncate px-3 pb-1.5 text-xs">
    <Link to="/r/$runId" params={{ runId }} className="inline-block py-1 text-accent underline">
      Follow this run
    </Link>
  </p>
);
