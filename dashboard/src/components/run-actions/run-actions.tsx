// U40, U41: the actions on a run's page. Actions that the run's state does not allow are hidden; if the server refuses
// one anyway, its message is shown.

import { CircleStop, GitFork, MessageSquarePlus, Pause, Play, RotateCcw } from "lucide-react";
import { useState } from "react";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import { isWaitingForResume } from "../../display/status/status.ts";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";
import { useAction } from "../../live/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Problem } from "../../ui/problem.tsx";
import { treeOrder } from "../run-tree/roll-up.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { MessageDialog } from "./message-dialog.tsx";

export interface RunActionsProps {
  journal: TreeJournal;
  row: RunRow;
  onGo(runId: string): void;
  onFork(): void;
}

/** A viewer sees no actions, only the reason. */
export function RunActions(props: RunActionsProps) {
  const refusal = useRefusal("operator");
  if (refusal === undefined) return <OfferedActions {...props} />;
  return (
    <span className="text-muted text-xs" title={refusal}>
      View only
    </span>
  );
}

function OfferedActions({ journal, row, onGo, onFork }: RunActionsProps) {
  const [dialog, setDialog] = useState<"message" | "cancel">();
  const { busy, problem, perform } = useAction();
  const may = allowedActions(row);
  useHotkeys([
    ...(may.message ? [{ keys: "m", label: "Message this run", run: () => setDialog("message") }] : []),
    { keys: "F", label: "Fork this run", run: onFork },
    ...(may.cancel ? [{ keys: "X", label: "Stop this run", run: () => setDialog("cancel") }] : []),
  ]);
  const close = () => setDialog(undefined);
  const retry = async () => {
    await perform(async () => onGo((await client.post("/api/runs/{id}/retry", { id: row.id })).runId));
  };
  return (
    <>
      {may.message && (
        <ActionButton icon={MessageSquarePlus} label="Message" onClick={() => setDialog("message")} />
      )}
      {may.pause && (
        <ActionButton
          icon={Pause}
          label="Pause"
          busy={busy}
          onClick={() => void perform(() => client.post("/api/runs/{id}/pause", { id: row.id }))}
        />
      )}
      {may.resume && (
        <ActionButton
          icon={Play}
          label="Resume"
          busy={busy}
          onClick={() => void perform(() => client.post("/api/runs/{id}/resume", { id: row.id }))}
        />
      )}
      {may.thaw !== undefined && (
        <ActionButton
          icon={Play}
          label="Thaw"
          busy={busy}
          onClick={() => void perform(() => client.post("/api/runs/{id}/thaw", { id: may.thaw! }))}
        />
      )}
      {may.retry && <ActionButton icon={RotateCcw} label="Retry" busy={busy} onClick={() => void retry()} />}
      <ActionButton icon={GitFork} label="Fork" onClick={onFork} />
      {may.cancel && (
        <ActionButton icon={CircleStop} label="Stop" danger onClick={() => setDialog("cancel")} />
      )}
      <Problem text={problem} />
      <MessageDialog open={dialog === "message"} row={row} onClose={close} />
      <CancelDialog
        open={dialog === "cancel"}
        row={row}
        under={unfinishedBelow(journal, row.id)}
        onClose={close}
      />
    </>
  );
}

function allowedActions({ endedAt, waitingOn, cancelRequested, status, stopReason }: RunRow) {
  const isOpen = endedAt === undefined;
  const isResumable = isWaitingForResume(waitingOn);
  const [top] = waitingOn?.frozen ?? [];
  return {
    message: isOpen && !cancelRequested,
    pause: isOpen && !cancelRequested && !isResumable && status !== "suspended",
    resume: isOpen && !cancelRequested && isResumable && top === undefined,
    /** The run whose branch was frozen. */
    thaw: isOpen && !cancelRequested ? top : undefined,
    cancel: isOpen && !cancelRequested,
    retry: (status === "failed" || status === "cancelled") && stopReason !== "moved",
  };
}

const unfinishedBelow = (journal: TreeJournal, runId: string): number =>
  treeOrder(journal.runs, runId).filter(
    (id) => id !== runId && journal.runs.get(id)?.row.endedAt === undefined,
  ).length;

interface ActionButtonProps {
  icon: typeof Pause;
  label: string;
  busy?: boolean;
  danger?: boolean;
  onClick(): void;
}

function ActionButton({ icon: Icon, label, busy = false, danger, onClick }: ActionButtonProps) {
  return (
    <Button
      size="small"
      look={danger ? "danger" : "plain"}
      disabled={busy}
      className="max-md:h-10 max-md:min-w-10"
      onClick={onClick}
    >
      <Icon size={14} aria-hidden />
      <span className="max-sm:sr-only">{label}</span>
    </Button>
  );
}
