// S1-64: the chain of causes of an event, back to the task.

import { useMemo } from "react";
import { whyOf } from "../../../../src/projections/views/why.ts";
import type { RunViewProps } from "../run-view.ts";
import { journalsOf } from "./journals.ts";
import { ReasonRow } from "./reason-row.tsx";
import { TextWithCode } from "./with-code.tsx";

export function EventWhy({ journal, runId, seq, onSelect }: RunViewProps & { seq: number }) {
  // Journals only grow, so the causes of an event are final once the journal is loaded.
  const why = useMemo(() => whyOf(journalsOf(journal), runId, seq), [journal, journal.loaded, runId, seq]);
  const [own, ...before] = why?.chain ?? [];
  if (own?.because === undefined && before.length === 0) return null;
  return (
    <section aria-label="Why" className="mt-3">
      <h3 className="text-muted text-xs">Why</h3>
      {own?.because !== undefined && (
        <p className="mt-0.5 text-sm [overflow-wrap:anywhere]">
          <TextWithCode text={own.because} />
        </p>
      )}
      {before.length > 0 && (
        <ol aria-label="What led to it, back to the task" className="mt-1 divide-y divide-line">
          {before.map((reason) => (
            <ReasonRow key={`${reason.runId}:${reason.seq}`} reason={reason} onSelect={onSelect} />
          ))}
        </ol>
      )}
    </section>
  );
}
