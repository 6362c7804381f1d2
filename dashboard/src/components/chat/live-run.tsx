// The run that is under way: what it says and does as it comes.

import { Failure } from "../../display/failure.tsx";
import { Loading } from "../../display/loading.tsx";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { RunMessages } from "../conversation/run-messages.tsx";
import { NO_FILTER } from "../conversation/talk-filter.ts";

export interface LiveRunProps {
  journal: TreeJournal | undefined;
  runId: string;
  /** Words that a message must have to be shown. */
  filter: string;
}

export function LiveRun({ journal, runId, filter }: LiveRunProps) {
  if (journal?.failure) return <Failure error={journal.failure} />;
  if (!journal?.runs.has(runId)) return <Loading what="Reading the journal" />;
  return <RunMessages journal={journal} runId={runId} filter={{ ...NO_FILTER, text: filter }} />;
}
