import { Square } from "lucide-react";
import { useState } from "react";
import { messageOf } from "../../../../src/errors.ts";
import { client } from "../../live/client.ts";
import { Button } from "../../ui/button.tsx";

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
