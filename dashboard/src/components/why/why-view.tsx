// Explains why the run is in its current state.
// The view shows the answer, the first cause of a failure, the chain of causes, next steps, and the decision log.

import { useMemo, useState } from "react";
import { decisionLog } from "../../../../src/projections/views/decision-log.ts";
import { type Why, whyOf } from "../../../../src/projections/views/why.ts";
import type { Reason } from "../../../../src/projections/views/why-schema.ts";
import {
  chainTitle,
  FIRST_CAUSE,
  NEXT_STEPS,
  sinceText,
} from "../../../../src/projections/words/explanations.ts";
import { fullTime, plural } from "../../../../src/projections/words/format.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { eventCount } from "../../live/tree-journal.ts";
import { Button } from "../../ui/button.tsx";
import type { RunViewProps } from "../run-view.ts";
import { journalsOf } from "./journals.ts";
import { CopyMarkdown, ReasonRow, TextWithCode } from "./reasons.tsx";

export function WhyView({ journal, runId, onSelect }: RunViewProps) {
  const events = eventCount(journal);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the journal is one mutable object; a new event count means it changed
  const { why, log } = useMemo(() => {
    const journals = journalsOf(journal);
    return { why: whyOf(journals, runId), log: decisionLog(journals, runId) };
  }, [journal, runId, events]);
  if (!why) return <p className="p-4 text-muted text-sm">Nothing is recorded for this run yet.</p>;
  return (
    <div className="min-h-0 flex-1 overflow-auto px-4 py-3">
      <div className="flex max-w-4xl flex-col gap-4">
        <Answer why={why} />
        {why.first && (
          <Reasons title={FIRST_CAUSE} reasons={[why.first]} onSelect={onSelect} className="border-l-bad" />
        )}
        <Reasons title={chainTitle(why)} reasons={why.chain} onSelect={onSelect} />
        <Next why={why} />
        <Log key={runId} log={log} onSelect={onSelect} />
      </div>
    </div>
  );
}

function Answer({ why }: { why: Why }) {
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
      <h2 className="min-w-0 flex-1 basis-80 font-semibold text-base [overflow-wrap:anywhere]">
        <VisibleText text={why.answer} />
        <span className="block font-normal text-muted text-xs">{sinceText(why, fullTime)}</span>
      </h2>
      <CopyMarkdown why={why} />
    </div>
  );
}

interface ReasonsProps {
  title: string;
  reasons: readonly Reason[];
  className?: string;
  onSelect(runId: string, seq?: number): void;
}

function Reasons({ title, reasons, className = "border-l-line", onSelect }: ReasonsProps) {
  if (reasons.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="mb-1 font-semibold text-sm">{title}</h3>
      <ol
        className={`divide-y divide-line rounded-lg border border-line border-l-4 bg-surface px-3 py-1 ${className}`}
      >
        {reasons.map((reason) => (
          <ReasonRow key={`${reason.runId}:${reason.seq}`} reason={reason} onSelect={onSelect} />
        ))}
      </ol>
    </section>
  );
}

function Next({ why: { next } }: { why: Why }) {
  if (next.length === 0) return null;
  return (
    <section aria-label={NEXT_STEPS}>
      <h3 className="mb-1 font-semibold text-sm">{NEXT_STEPS}</h3>
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm">
        {next.map((one) => (
          <li key={one}>
            <TextWithCode text={one} isOurs />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A log with more decisions than this shows only its latest decisions at first. */
const SHOWN = 200;

function Log({ log, onSelect }: { log: readonly Reason[]; onSelect: ReasonsProps["onSelect"] }) {
  const [all, setAll] = useState(false);
  const left = all ? 0 : Math.max(0, log.length - SHOWN);
  return (
    <>
      {left > 0 && (
        <Button size="small" className="self-start max-md:h-10" onClick={() => setAll(true)}>
          Show {plural(left, "earlier decision")}
        </Button>
      )}
      <Reasons title={`Decision log (${log.length})`} reasons={log.slice(left)} onSelect={onSelect} />
    </>
  );
}
