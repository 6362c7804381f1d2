import { Ban, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { plural } from "../../../../src/projections/words/format.ts";
import { Button } from "../../ui/button.tsx";
import { BulkDialog, type BulkStep } from "./bulk-dialog.tsx";
import type { Selection } from "./use-selection.ts";

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
