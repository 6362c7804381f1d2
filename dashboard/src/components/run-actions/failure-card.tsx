// U44: a failed run: the first cause, what to do about it, and how the failure reached this run.

import { OctagonX } from "lucide-react";
import type { Why } from "../../../../src/projections/views/why.ts";
import { chainTitle, FIRST_CAUSE } from "../../../../src/projections/words/explanations.ts";
import { AgentName } from "../../display/agent/agent.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyMarkdown, TextWithCode } from "../why/reasons.tsx";

export interface FailureCardProps {
  why: Why & Required<Pick<Why, "first">>;
  onSelect(runId: string, seq?: number): void;
}

export function FailureCard({ why, onSelect }: FailureCardProps) {
  const { runId, first, answer, next, chain } = why;
  const isBelow = first.runId !== runId;
  const steps = [first, ...chain];
  const runs = steps.filter((step, index) => steps.findIndex((each) => each.runId === step.runId) === index);
  return (
    <section
      aria-label="Why it failed"
      className="max-h-44 shrink-0 overflow-auto md:max-h-60 border-line border-b border-l-4 border-l-bad bg-surface px-4 py-2"
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <h2 className="flex items-center gap-1.5 font-semibold text-bad text-sm">
          <OctagonX size={14} aria-hidden /> {FIRST_CAUSE}: <AgentName agent={first.agent} />
        </h2>
        <span className="ml-auto flex gap-2">
          <Button size="small" className="max-md:h-10" onClick={() => onSelect(first.runId, first.seq)}>
            {isBelow ? `Go to ${first.agent}` : "Go to the event"}
          </Button>
          <CopyMarkdown why={why} />
        </span>
      </div>
      <p className="mt-1 whitespace-pre-wrap text-sm [overflow-wrap:anywhere]" data-testid="first-cause">
        <VisibleText text={first.what} />
      </p>
      <p className="mt-1 text-muted text-sm">
        {answer} {next[0] !== undefined && <TextWithCode text={next[0]} isOurs />}
      </p>
      {isBelow && (
        <ol aria-label={chainTitle(why)} className="mt-1 flex flex-wrap items-center gap-x-1 text-xs">
          {runs.map((step, index) => (
            <li key={step.runId} className="flex items-center gap-1">
              {index > 0 && (
                <span aria-hidden className="text-muted">
                  →
                </span>
              )}
              <button
                type="button"
                title={step.what}
                className="inline-flex min-h-10 items-center underline-offset-2 hover:underline md:min-h-5"
                onClick={() => onSelect(step.runId)}
              >
                <AgentName agent={step.agent} />
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
