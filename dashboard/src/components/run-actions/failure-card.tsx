// U44: the cause first, then how it came up, then what to do.

import { OctagonX } from "lucide-react";
import { useState } from "react";
import { stopWords } from "../../../../src/projections/stop-words.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { type FailureChain, failureMarkdown } from "./first-cause.ts";

export interface FailureCardProps {
  failure: FailureChain;
  runId: string;
  onSelect(runId: string, seq?: number): void;
}

export function FailureCard({ failure, runId, onSelect }: FailureCardProps) {
  const { cause, chain, seq } = failure;
  const { why, next } = stopWords(cause.stop_reason);
  const isBelow = cause.run_id !== runId;
  return (
    <section
      aria-label="Why it failed"
      className="max-h-60 shrink-0 overflow-auto border-line border-b border-l-4 border-l-bad bg-surface px-4 py-2"
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <h2 className="flex items-center gap-1.5 font-semibold text-bad text-sm">
          <OctagonX size={14} aria-hidden /> First cause: {cause.agent}
        </h2>
        <span className="ml-auto flex gap-2">
          <Button size="small" className="max-md:h-10" onClick={() => onSelect(cause.run_id, seq)}>
            {isBelow ? `Go to ${cause.agent}` : "Go to the event"}
          </Button>
          <CopyMarkdown failure={failure} />
        </span>
      </div>
      <p className="mt-1 whitespace-pre-wrap text-sm [overflow-wrap:anywhere]" data-testid="first-cause">
        <VisibleText text={cause.summary} />
      </p>
      <p className="mt-1 text-muted text-sm">
        {why} {next !== undefined && <WithCode text={next} />}
      </p>
      {isBelow && (
        <ol aria-label="How it came up" className="mt-1 flex flex-wrap items-center gap-x-1 text-xs">
          {chain.map((step, index) => (
            <li key={step.runId} className="flex items-center gap-1">
              {index > 0 && (
                <span aria-hidden className="text-muted">
                  →
                </span>
              )}
              <button
                type="button"
                title={step.summary}
                className="inline-flex min-h-10 items-center underline-offset-2 hover:underline md:min-h-5"
                onClick={() => onSelect(step.runId)}
              >
                {step.agent}
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Our own words: what stands in backticks is to be typed. */
function WithCode({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={part} className="rounded bg-raised px-1 font-mono text-xs">
        {part}
      </code>
    ),
  );
}

function CopyMarkdown({ failure }: { failure: FailureChain }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(failureMarkdown(failure, location.origin));
    setCopied(true);
  };
  return (
    <Button size="small" className="max-md:h-10" onClick={() => void copy()}>
      {copied ? "Copied" : "Copy as Markdown"}
    </Button>
  );
}
