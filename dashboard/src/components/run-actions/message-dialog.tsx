import { useState } from "react";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import { client } from "../../live/client.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/input.tsx";
import { Problem } from "../../ui/problem.tsx";

export interface MessageDialogProps {
  open: boolean;
  row: RunRow;
  onClose(): void;
}

/** U40: a message to any run, at any depth. The text stays in the dialog until the message is recorded. */
export function MessageDialog({ open, row, onClose }: MessageDialogProps) {
  const [text, setText] = useState("");
  const { busy, problem, perform } = useAction();
  const send = async () => {
    if (text.trim() === "" || busy) return;
    if (!(await perform(() => client.post("/api/runs/{id}/message", { id: row.id, body: { text } })))) return;
    setText("");
    onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={`Message ${row.agent}`}
      description="The message is recorded, and the agent reads it before its next turn."
    >
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <TextArea
          aria-label="Message"
          rows={4}
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
          }}
        />
        <Problem text={problem} />
        <div className="flex justify-end gap-2">
          <Button className="max-md:h-10" onClick={onClose}>
            Close
          </Button>
          <Button look="main" type="submit" className="max-md:h-10" disabled={busy || text.trim() === ""}>
            Send
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
