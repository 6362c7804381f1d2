// U06: actions on the selected runs. A dialog shows the effect of an action and asks for confirmation.
// If the server refuses the action for some runs, the dialog says why.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ban, Download, GitCompareArrows, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import { money, plural, shortCount } from "../../../../src/projections/words/format.ts";
import { Loaded } from "../../display/page-state.tsx";
import { client } from "../../live/client.ts";
import { Button } from "../../ui/button.tsx";
import { toCsv } from "../../ui/csv.ts";
import { downloadText } from "../../ui/download.ts";
import { InputField } from "../../ui/input.tsx";
import { ActionDialog } from "../action-dialog.tsx";
import { cancelPreview, comparedRuns, retryPreview, runRows, totalSpent } from "./bulk.ts";
import type { Selection } from "./run-list.tsx";

export function BulkBar({ selection }: { selection: Selection }) {
  const [action, setAction] = useState<"cancel" | "retry" | "export">();
  const navigate = useNavigate();
  if (selection.runs.length === 0) return null;
  const dialog = {
    runs: selection.runs,
    onClose: () => setAction(undefined),
    onDone: selection.clear,
  };
  return (
    <section
      aria-label="Selected runs"
      className="flex shrink-0 flex-wrap items-center gap-2 border-line border-t bg-surface px-4 py-2"
    >
      <span className="font-medium text-sm">{plural(selection.runs.length, "run")} selected</span>
      <Button className="max-md:h-10" onClick={() => setAction("cancel")}>
        <Ban size={14} aria-hidden /> Cancel…
      </Button>
      <Button className="max-md:h-10" onClick={() => setAction("retry")}>
        <RotateCcw size={14} aria-hidden /> Retry…
      </Button>
      <Button className="max-md:h-10" onClick={() => setAction("export")}>
        <Download size={14} aria-hidden /> Export…
      </Button>
      {selection.runs.length === 2 && (
        <Button
          className="max-md:h-10"
          onClick={() => void navigate({ to: "/compare", search: comparedRuns(selection.runs) })}
        >
          <GitCompareArrows size={14} aria-hidden /> Compare
        </Button>
      )}
      <Button look="quiet" className="max-md:h-10" onClick={selection.clear}>
        <X size={14} aria-hidden /> <span className="max-md:sr-only">Clear</span>
      </Button>
      {action === "cancel" && <CancelDialog {...dialog} />}
      {action === "retry" && <RetryDialog {...dialog} />}
      {action === "export" && <ExportDialog {...dialog} />}
    </section>
  );
}

interface BulkDialogProps {
  runs: readonly ListedRun[];
  onClose(): void;
  /** Called when the action has succeeded for every run. */
  onDone(): void;
}

function CancelDialog({ runs, onClose, onDone }: BulkDialogProps) {
  const [reason, setReason] = useState("");
  const preview = useQuery({
    // Loads the trees again, because they might have changed since the last request.
    queryKey: ["runs", "cancel-preview", runs.map(({ id }) => id)],
    staleTime: 0,
    queryFn: async () => {
      const [trees, { approvals }] = await Promise.all([
        Promise.all(runs.map(({ id }) => client.get("/api/runs/{id}/tree", { id }))),
        client.get("/api/approvals"),
      ]);
      return cancelPreview(trees, approvals);
    },
  });
  const unfinished = preview.data?.runs ?? [];
  const body = { reason: reason.trim() || undefined };
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Cancel these runs?"
      action={async () => {
        await forEachRun(unfinished, ({ id }) => client.post("/api/runs/{id}/cancel", { id, body }));
        onDone();
      }}
      submit={`Cancel ${plural(unfinished.length, "run")}`}
      cancel="Cancel"
      isDanger
      disabled={unfinished.length === 0}
    >
      <Loaded query={preview} what="Counting the runs below them">
        {({ below, approvals, ended }) => (
          <ul className="list-disc space-y-1 pl-5">
            <li>
              {plural(unfinished.length, "run")} will end
              {below > 0 && `, and ${below} below ${unfinished.length === 1 ? "it" : "them"}`}.
            </li>
            <li>
              {approvals === 0
                ? "No open approvals are affected."
                : `${plural(approvals, "open approval")} will be withdrawn.`}
            </li>
            {ended > 0 && <li>{plural(ended, "run")} already ended.</li>}
            <li>So far {spentWords(runs)}. This money is spent: a cancelled run has no result.</li>
            <li>All recorded events are kept. Changes that tools have made are not reverted.</li>
          </ul>
        )}
      </Loaded>
      <InputField
        quiet
        label="Reason (optional, recorded in the journal)"
        value={reason}
        onText={setReason}
      />
    </ActionDialog>
  );
}

function RetryDialog({ runs, onClose, onDone }: BulkDialogProps) {
  const { runs: retried, left } = retryPreview(runs);
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Retry these runs?"
      action={async () => {
        await forEachRun(retried, ({ id }) => client.post("/api/runs/{id}/retry", { id }));
        onDone();
      }}
      submit={`Retry ${plural(retried.length, "run")}`}
      cancel="Cancel"
      disabled={retried.length === 0}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          {plural(retried.length, "new run")} will continue where the old ones stopped; the old runs stay as
          they are.
        </li>
        {retried.length > 0 && (
          <li>The old runs: {spentWords(retried)}. The new ones can cost as much again.</li>
        )}
        {left > 0 && (
          <li>
            {plural(left, "run")} will not be retried: only root runs that failed or were cancelled can be.
          </li>
        )}
      </ul>
    </ActionDialog>
  );
}

function ExportDialog({ runs, onClose, onDone }: BulkDialogProps) {
  // The export of a run contains its whole tree.
  const roots = [...new Set(runs.map(({ rootRunId }) => rootRunId))];
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Export these runs?"
      action={async () => {
        for (const id of roots) {
          const file = await client.send("get", "/api/runs/{id}/export", { id, format: "jsonl" });
          downloadText(`${id}.jsonl`, await file.text(), "application/x-ndjson");
        }
        onDone();
      }}
      submit={`Export ${plural(roots.length, "tree")}`}
      cancel="Cancel"
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          {plural(roots.length, "file")}, one for each tree, with all journals. <code>cadre verify</code>{" "}
          checks them anywhere.
        </li>
        <li>Together {spentWords(runs)}. The export itself costs nothing.</li>
      </ul>
      <Button
        size="small"
        className="self-start max-md:h-10"
        onClick={() => downloadText("runs.csv", toCsv(runRows(runs)), "text/csv")}
      >
        <Download size={13} aria-hidden /> Only this table, as CSV
      </Button>
    </ActionDialog>
  );
}

/** What runs have cost, each with its tree. */
const spentWords = (runs: readonly ListedRun[]): string => {
  const { cost, unpriced, tokens } = totalSpent(runs);
  return `${runs.length === 1 ? "it has" : "they have"} cost ${money(cost, unpriced)} (${shortCount(tokens)} tokens)`;
};

/** Applies the action to all runs. If the server refuses it for some runs, throws one error with every reason. */
async function forEachRun<Run>(runs: readonly Run[], act: (run: Run) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(runs.map(act));
  const refusals = results.flatMap((one) => (one.status === "rejected" ? [messageOf(one.reason)] : []));
  if (refusals.length === 0) return;
  const done = plural(runs.length - refusals.length, "run");
  throw new Error(`${done} done, ${refusals.length} refused: ${[...new Set(refusals)].join(" ")}`);
}
