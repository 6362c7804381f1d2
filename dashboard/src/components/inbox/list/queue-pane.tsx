// The side of the inbox that lists: what was just recorded, what waits, and what is held.

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
  /** What was answered last: its run may end, and then no list of the inbox names it. */
  last: ApprovalView | undefined;
}

export function QueuePane({ queue, runs, current, said, last }: QueuePaneProps) {
  const held = runs.filter(needsResume);
  const isEmpty = queue.rows.length === 0 && held.length === 0;
  return (
    <>
      <Said words={said} />
      {last && <AnsweredRun runId={last.runId} />}
      {isEmpty ? <NothingWaits running={runs} /> : <QueueList queue={queue} current={current} />}
      <RunsToResume runs={held} />
    </>
  );
}

function Said({ words }: { words: string | undefined }) {
  return (
    <p
      role="status"
      className={classNames("truncate px-3 text-good text-xs", words !== undefined && "py-1.5")}
    >
      {words}
    </p>
  );
}

const AnsweredRun = ({ runId }: { runId: string }) => (
  <p className="truncate px-3 pb-1.5 text-xs">
    <Link to="/r/$runId" params={{ runId }} className="inline-block py-1 text-accent underline">
      See what becomes of it
    </Link>
  </p>
);
