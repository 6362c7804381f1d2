// The run that is under way: what it says and does as it comes, what waits to be read, and how to stop it.

import { Square } from "lucide-react";
import { useState } from "react";
import { messageOf } from "../../../../src/errors.ts";
import { Failure } from "../../display/failure.tsx";
import { Loading } from "../../display/loading.tsx";
import { client } from "../../live/client.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { Button } from "../../ui/button.tsx";
import { Conversation } from "../conversation/conversation.tsx";

export function LiveRun({ journal, runId }: { journal: TreeJournal | undefined; runId: string }) {
  if (journal?.failure) return <Failure error={journal.failure} />;
  if (!journal?.runs.has(runId)) return <Loading what="Reading the journal" />;
  return <Conversation journal={journal} runId={runId} onSelect={() => {}} />;
}

export function StopButton({ runId }: { runId: string }) {
  const [said, setSaid] = useState<string>();
  const stop = async () => {
    setSaid("Stopping…");
    try {
      await client.cancel(runId, "Stopped in the chat");
    } catch (error) {
      setSaid(messageOf(error));
    }
  };
  return (
    <>
      <Button look="danger" onClick={() => void stop()} disabled={said === "Stopping…"}>
        <Square size={13} aria-hidden /> Stop
      </Button>
      <span role="status" className="text-muted text-xs">
        {said}
      </span>
    </>
  );
}
