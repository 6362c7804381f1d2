// U40, U41: the actions on a run's page. The page hides every action that is not possible in the run's state.
// If the server refuses an action, the page shows the server's message.

import { CircleStop, GitFork, MessageSquarePlus, Pause, Play, RotateCcw, Undo2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
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
import type { RunDialog } from "./run-dialogs.tsx";

const RunDialogs = lazy(async () => ({ default: (await import("./run-dialogs.tsx")).RunDialogs }));

export interface RunActionsProps {
  journal: TreeJournal;
  row: RunRow;
  onGo(runId: string): void;
  onFork(): void;
}

/** A viewer sees no actions, only a sentence that explains why. */
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
  const [dialog, setOpenDialog] = useState<RunDialog>();
  // A dialog that was opened once keeps what the user typed.
  const [hasOpened, setHasOpened] = useState(false);
  const setDialog = (next: RunDialog) => {
    setHasOpened(true);
    setOpenDialog(next);
  };
  const { busy, problem, perform } = useAction();
  const may = allowedActions(row);
  useHotkeys([
    ...(may.message ? [{ keys: "m", label: "Message this run", run: () => setDialog("message") }] : []),
    { keys: "F", label: "Fork this run", run: onFork },
    ...(may.cancel ? [{ keys: "X", label: "Stop this run", run: () => setDialog("cancel") }] : []),
  ]);
  const close = () => setOpenDialog(undefined);
  const post = (action: "pause" | "resume" | "thaw", id: string) =>
    void perform(() => client.post(`/api/runs/{id}/${action}`, { id }));
  const retry = () =>
    void perform(async () => onGo((await client.post("/api/runs/{id}/retry", { id: row.id })).runId));
  return (
    <>
      {may.message && (
        <ActionButton icon={MessageSquarePlus} label="Message" onClick={() => setDialog("message")} />
      )}
      {may.pause && (
        <ActionButton icon={Pause} label="Pause" busy={busy} onClick={() => post("pause", row.id)} />
      )}
      {may.resume && (
        <ActionButton icon={Play} label="Resume" busy={busy} onClick={() => post("resume", row.id)} />
      )}
      {may.thaw !== undefined && (
        <ActionButton icon={Play} label="Thaw" busy={busy} onClick={() => post("thaw", may.thaw!)} />
      )}
      {may.retry && <ActionButton icon={RotateCcw} label="Retry" busy={busy} onClick={retry} />}
      <ActionButton icon={GitFork} label="Fork" isIcon onClick={onFork} />
      {may.undo && <ActionButton icon={Undo2} label="Take back files" onClick={() => setDialog("undo")} />}
      {may.cancel && (
        <ActionButton icon={CircleStop} label="Stop" danger onClick={() => setDialog("cancel")} />
      )}
      <Problem text={problem} />
      {hasOpened && (
        <Suspense fallback={null}>
          <RunDialogs dialog={dialog} row={row} under={unfinishedBelow(journal, row.id)} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

function allowedActions({ endedAt, waitingOn, cancelRequested, status, stopReason }: RunRow) {
  const isOpen = endedAt === undefined && !cancelRequested;
  const isResumable = isWaitingForResume(waitingOn);
  const [top] = waitingOn?.frozen ?? [];
  return {
    message: isOpen,
    pause: isOpen && !isResumable && status !== "suspended",
    resume: isOpen && isResumable && top === undefined,
    /** The run to thaw: the top of the frozen branch. */
    thaw: isOpen ? top : undefined,
    cancel: isOpen,
    /** The files of a run at work are not taken back. */
    undo: endedAt !== undefined || status === "suspended",
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
  /** Shows the label only as a tooltip. */
  isIcon?: boolean;
  onClick(): void;
}

function ActionButton({
  icon: Icon,
  label,
  busy = false,
  danger,
  isIcon = false,
  onClick,
}: ActionButtonProps) {
  return (
    <Button
      size="small"
      look={danger ? "danger" : "plain"}
      disabled={busy}
      className="max-md:h-10 max-md:min-w-10"
      title={label}
      onClick={onClick}
    >
      <Icon size={14} aria-hidden />
      <span className={isIcon ? "sr-only" : "max-sm:sr-only"}>{label}</span>
    </Button>
  );
}
