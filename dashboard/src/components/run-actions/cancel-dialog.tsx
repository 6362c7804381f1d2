import { useId, useState } from "react";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { client } from "../../live/client.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Input } from "../../ui/input.tsx";
import { Problem } from "../../ui/problem.tsx";

export interface CancelDialogProps {
  open: boolean;
  row: RunRow;
  /** Number of unfinished runs below it. */
  under: number;
  onClose(): void;
}

export function CancelDialog({ open, row, under, onClose }: CancelDialogProps) {
  const [reason, setReason] = useState("");
  const field = useId();
  const { busy, problem, perform } = useAction();
  const stop = async () => {
    if (
      await perform(() =>
        client.post("/api/runs/{id}/cancel", {
          id: row.id,
          body: { reason: reason === "" ? undefined : reason },
        }),
      )
    )
      onClose();
  };
  const below = under === 0 ? "" : ` and ${plural(under, "run")} below it`;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={`Stop ${row.agent}${below}?`}
      description="Nothing new starts, and calls under way are ended. Everything recorded is kept; Retry continues from there."
    >
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          void stop();
        }}
      >
        <div className="flex flex-col gap-1 text-sm">
          <label htmlFor={field}>Reason (optional)</label>
          <Input
            id={field}
            className="max-md:h-10"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
        <Problem text={problem} />
        <div className="flex justify-end gap-2">
          <Button className="max-md:h-10" onClick={onClose}>
            {" "}
            Keep running
          </Button>
          <Button look="danger" type="submit" className="max-md:h-10" disabled={busy}>
            Stop {plural(under + 1, "run")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
