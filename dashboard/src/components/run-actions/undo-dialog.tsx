// Takes back the file changes of a run. The dialog first shows which files change, which stay, and what cannot be taken back.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { UndoView } from "../../../../src/api/client/types.ts";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { keptReason, LASTING, UNDO_ACTIONS } from "../../../../src/projections/words/undo.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { undoQuery } from "../../live/queries.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem } from "../../ui/problem.tsx";

interface UndoDialogProps {
  open: boolean;
  row: RunRow;
  onClose(): void;
}

/** After the undo, the same dialog shows its result. */
export function UndoDialog({ open, row, onClose }: UndoDialogProps) {
  const [done, setDone] = useState<UndoView>();
  const { data: plan, error } = useQuery({ ...undoQuery(row.id), enabled: open && !done });
  const { busy, problem, perform } = useAction();
  const close = () => {
    setDone(undefined);
    onClose();
  };
  const undo = () =>
    void perform(async () => setDone(await client.post("/api/runs/{id}/undo", { id: row.id, body: {} })));
  const view = done ?? plan;
  const count = plan ? changedFiles(plan).length : 0;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && close()}
      title={done ? "Taken back" : `Take back the files of ${row.agent}?`}
      description="The files go back to how they were before this run and the runs below it. Later changes by others are kept."
    >
      <div className="flex flex-col gap-3 overflow-auto p-4 text-sm">
        {view && <UndoFiles view={view} />}
        <Problem text={problem ?? error?.message} />
        <div className="flex justify-end gap-2">
          <Button className="max-md:h-11" onClick={close}>
            {done ? "Close" : "Keep the files"}
          </Button>
          {!done && (
            <Button look="danger" className="max-md:h-11" disabled={busy || count === 0} onClick={undo}>
              Take back {plural(count, "file")}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

const changedFiles = ({ files }: UndoView): UndoView["files"] =>
  files.filter(({ action }) => action !== undefined);

function UndoFiles({ view }: { view: UndoView }) {
  const { files, lasting, aside } = view;
  const changed = changedFiles(view);
  const kept = files.filter((file) => keptReason(file) !== undefined);
  if (changed.length + kept.length + lasting.length === 0)
    return <p>Nothing to take back: the files are as they were before the run.</p>;
  return (
    <>
      <ul aria-label="Files" className="flex flex-col gap-1">
        {changed.map((file) => (
          <li key={`${file.folder} ${file.path}`}>
            <span className="text-muted">{UNDO_ACTIONS[file.action!][aside ? "done" : "plan"]}</span>{" "}
            <VisibleText text={file.path} />
          </li>
        ))}
        {kept.map((file) => (
          <li key={`${file.folder} ${file.path}`} className="text-warn">
            <VisibleText text={file.path} />: {keptReason(file)}
          </li>
        ))}
      </ul>
      {lasting.length > 0 && (
        <div>
          <p className="text-muted">{LASTING}:</p>
          <ul aria-label="Not taken back" className="flex flex-col gap-1">
            {lasting.map(({ runId, seq, text }) => (
              <li key={`${runId}#${seq}`}>
                <VisibleText text={text} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {aside?.map((folder) => (
        <p key={folder} className="text-muted">
          The replaced files are in <VisibleText text={folder} />.
        </p>
      ))}
    </>
  );
}
