import { useMutation, useQuery } from "@tanstack/react-query";
import { Ban, RotateCcw, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ListedRun } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Failure, Loading } from "../../display/page-state.tsx";
import { client } from "../../live/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { cancelPreview, retryPreview } from "./bulk.ts";
import type { Selection } from "./run-list.tsx";

/** Actions on the selected runs. */
export function BulkBar({ selection }: { selection: Selection }) {
  const [step, setStep] = useState<BulkStep>();
  if (selection.runs.length === 0) return null;
  return (
    <section
      aria-label="Selected runs"
      className="flex shrink-0 flex-wrap items-center gap-2 border-line border-t bg-surface px-4 py-2"
    >
      <span className="font-medium text-sm">{plural(selection.runs.length, "run")} selected</span>
      <Button className="max-md:h-10" onClick={() => setStep("cancel")}>
        <Ban size={14} aria-hidden /> Cancel…
      </Button>
      <Button className="max-md:h-10" onClick={() => setStep("retry")}>
        <RotateCcw size={14} aria-hidden /> Retry……
      </Button>
      <Button look="quiet" className="max-md:h-10" onClick={selection.clear}>
        <X size={14} aria-hidden /> <span className="max-md:sr-only">Clear</span>
      </Button>
      {step && (
        <BulkDialog
          step={step}
          runs={selection.runs}
          onClose={() => setStep(undefined)}
          onDone={() => {
            setStep(undefined);
            selection.clear();
          }}
        />
      )}
    </section>
  );
}

// U06: shows the effect of an action on several runs, asks for confirmation, performs it, and lists what was refused.
type BulkStep = "cancel" | "retry";

interface BulkDialogProps {
  step: BulkStep;
  runs: readonly ListedRun[];
  onClose(): void;
  onDone(): void;
}

const TITLES = { cancel: "Cancel these runs?", retry: "Retry these runs?" };

function BulkDialog({ step, runs, onClose, onDone }: BulkDialogProps) {
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={TITLES[step]}>
      {step === "cancel" ? (
        <CancelRuns runs={runs} onClose={onClose} onDone={onDone} />
      ) : (
        <RetryRuns runs={runs} onClose={onClose} onDone={onDone} />
      )}
    </Dialog>
  );
}

type StepProps = Omit<BulkDialogProps, "step">;

function CancelRuns({ runs, onClose, onDone }: StepProps) {
  const [reason, setReason] = useState("");
  const preview = useQuery({
    // The trees may have changed since the last request.
    queryKey: ["runs", "cancel-preview", runs.map(({ id }) => id)],
    staleTime: 0,
    queryFn: async () => {
      const [trees, open] = await Promise.all([
        Promise.all(runs.map(({ id }) => client.get("/api/runs/{id}/tree", { id }))),
        client.get("/api/approvals").then(({ approvals }) => approvals),
      ]);
      return cancelPreview(trees, open);
    },
  });
  if (preview.isError) return <Failure error={preview.error} />;
  if (!preview.data) return <Loading what="Counting the runs below them" />;
  const { runs: alive, below, approvals, ended } = preview.data;
  return (
    <Step
      onClose={onClose}
      onDone={onDone}
      each={alive.map(
        ({ id }) =>
          () =>
            client.post("/api/runs/{id}/cancel", {
              id,
              body: { reason: reason.trim() === "" ? undefined : reason.trim() },
            }),
      )}
      button={`Cancel ${plural(alive.length, "run")}`}
      danger
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          {plural(alive.length, "run")} will end
          {below > 0 && `, and ${below} below ${alive.length === 1 ? "it" : "them"}`}.
        </li>
        <li>
          {approvals === 0
            ? "No open approvals are affected."
            : `${plural(approvals, "open approval")} will be withdrawn.`}
        </li>
        {ended > 0 && <li>{plural(ended, "run")} already ended.</li>}
        <li>Everything recorded is kept. What tools have done is not undone.</li>
      </ul>
      <Field quiet label="Reason (optional, recorded in the journal)">
        {(id) => <Input id={id} value={reason} onChange={({ target }) => setReason(target.value)} />}
      </Field>
    </Step>
  );
}

function RetryRuns({ runs, onClose, onDone }: StepProps) {
  const { runs: wanted, left } = retryPreview(runs);
  return (
    <Step
      onClose={onClose}
      onDone={onDone}
      each={wanted.map(
        ({ id }) =>
          () =>
            client.post("/api/runs/{id}/retry", { id }),
      )}
      button={`Retry ${plural(wanted.length, "run")}`}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          {plural(wanted.length, "new run")} will continue where the old ones stopped; the old runs stay as
          they are.
        </li>
        {left > 0 && (
          <li>
            {plural(left, "run")} will not be retried: only root runs that failed or were cancelled can be.
          </li>
        )}
      </ul>
    </Step>
  );
}

interface StepBodyProps {
  each: (() => Promise<unknown>)[];
  button: string;
  danger?: boolean;
  onClose(): void;
  onDone(): void;
  children: ReactNode;
}

function Step({ each, button, danger, onClose, onDone, children }: StepBodyProps) {
  const [refused, setRefused] = useState<string[]>([]);
  const doing = useMutation({
    async mutationFn() {
      const done = await Promise.allSettled(each.map((one) => one()));
      return done.flatMap((one) => (one.status === "rejected" ? [messageOf(one.reason)] : []));
    },
    onSuccess: (refusals) => (refusals.length === 0 ? onDone() : setRefused(refusals)),
  });
  return (
    <div className="flex flex-col gap-3 overflow-auto p-4 text-sm">
      {refused.length > 0 ? (
        <div role="alert">
          <p className="font-medium">
            {plural(each.length - refused.length, "run")} done, {refused.length} refused:
          </p>
          <ul className="list-disc pl-5">
            {[...new Set(refused)].map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </div>
      ) : (
        children
      )}
      <div className="flex justify-end gap-2">
        {refused.length > 0 ? (
          <Button onClick={onDone}>Close</Button>
        ) : (
          <>
            <Button className="max-md:h-10" onClick={onClose}>
              {" "}
              Not now
            </Button>
            <Button
              look={danger ? "danger" : "main"}
              className="max-md:h-10"
              disabled={each.length === 0 || doing.isPending}
              onClick={() => doing.mutate()}
            >
              {doing.isPending ? "Working…" : button}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
