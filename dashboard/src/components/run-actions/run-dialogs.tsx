// The dialogs of a run's actions. The page loads them when the first one is opened.

import { useState } from "react";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { attachmentsField } from "../../display/sent-file.ts";
import { client } from "../../live/client.ts";
import { InputField, TextArea } from "../../ui/input.tsx";
import { ActionDialog } from "../action-dialog.tsx";
import { AttachButton, FilesToSend, useFiles } from "../attach-files.tsx";
import { UndoDialog } from "./undo-dialog.tsx";

export type RunDialog = "message" | "cancel" | "undo";

interface RunDialogsProps {
  /** The open dialog. */
  dialog: RunDialog | undefined;
  row: RunRow;
  /** Number of unfinished runs below the run. */
  under: number;
  onClose(): void;
}

export function RunDialogs({ dialog, row, under, onClose }: RunDialogsProps) {
  return (
    <>
      <MessageDialog open={dialog === "message"} row={row} onClose={onClose} />
      <UndoDialog open={dialog === "undo"} row={row} onClose={onClose} />
      <CancelDialog open={dialog === "cancel"} row={row} under={under} onClose={onClose} />
    </>
  );
}

interface RunDialogProps {
  open: boolean;
  row: RunRow;
  onClose(): void;
}

/** U40: sends a message to the run. The run can be at any depth of the tree. */
function MessageDialog({ open, row, onClose }: RunDialogProps) {
  const [text, setText] = useState("");
  const chosen = useFiles();
  return (
    <ActionDialog
      open={open}
      onClose={onClose}
      title={`Message ${row.agent}`}
      description="The message is recorded, and the agent reads it before its next turn."
      action={async () => {
        const body = { text, ...attachmentsField(chosen.files) };
        await client.post("/api/runs/{id}/message", { id: row.id, body });
        setText("");
        chosen.clear();
      }}
      submit="Send"
      cancel="Close"
      disabled={text.trim() === ""}
    >
      <TextArea
        aria-label="Message"
        rows={4}
        autoFocus
        value={text}
        onChange={({ target }) => setText(target.value)}
        onPaste={chosen.onPaste}
      />
      <div className="flex flex-wrap items-start gap-2">
        <AttachButton chosen={chosen} />
        <FilesToSend chosen={chosen} />
      </div>
    </ActionDialog>
  );
}

/** `under` is the number of unfinished runs below the run. */
function CancelDialog({ open, row, under, onClose }: RunDialogProps & { under: number }) {
  const [reason, setReason] = useState("");
  const below = under === 0 ? "" : ` and ${plural(under, "run")} below it`;
  return (
    <ActionDialog
      open={open}
      onClose={onClose}
      title={`Stop ${row.agent}${below}?`}
      description="Nothing new starts, and calls under way are ended. Everything recorded is kept; Retry continues from there."
      action={() =>
        client.post("/api/runs/{id}/cancel", { id: row.id, body: { reason: reason || undefined } })
      }
      submit={`Stop ${plural(under + 1, "run")}`}
      cancel="Keep running"
      isDanger
    >
      <InputField label="Reason (optional)" value={reason} onText={setReason} />
    </ActionDialog>
  );
}
