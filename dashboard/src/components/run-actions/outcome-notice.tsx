// Asks a person whether a call took effect. Few runs need this, so the page loads it on demand.

import { useState } from "react";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import { describeCall } from "../../../../src/projections/views/timeline.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { useDecide } from "../inbox/decision/decide.tsx";
import { OutcomeEvidence, VerdictButtons } from "../outcome/outcome-form.tsx";

/** A call with an unknown outcome, on the page of the run that waits for the verdict. */
export function OutcomeNotice({ item }: { item: ApprovalView }) {
  const [text, setText] = useState("");
  const decide = useDecide(item, () => {});
  const { tool = "", input } = item;
  return (
    <section
      aria-label="Outcome unknown"
      className="max-h-[50vh] shrink-0 overflow-y-auto border-line border-b border-l-4 border-l-warn bg-surface px-4 py-3"
    >
      <div className="flex max-w-4xl flex-col gap-2 text-sm">
        <h2 className="font-semibold">
          Did this happen? <VisibleText text={describeCall(tool, input)} />
        </h2>
        <OutcomeEvidence item={item} text={text} onText={setText} />
        <VerdictButtons item={item} decide={decide} text={text} />
      </div>
    </section>
  );
}
