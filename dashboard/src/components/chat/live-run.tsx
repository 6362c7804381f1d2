// The run that is under way: what it says and does as it comes.

import { Failure } from "../../display/failure.tsx";
import { Loading } from "../../display/loading.tsx";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { Conversation } from "../conversation/conversation.tsx";

export function LiveRun({ journal, runId }: { journal: TreeJournal | undefined; runId: string }) {
  if (journal?.failure) return <Failure error={journal.failure} />;
  if (!journal?.runs.has(runId)) return <Loading what="Reading the journal" />;
  return <Conversation journal={journal} runId={runId} onSelect={() => {}} />;
}
