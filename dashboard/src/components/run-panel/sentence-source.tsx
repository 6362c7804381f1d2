// One text that a sentence rests on: the words that both have, the way from the answer down to it, and what stands there.

import type { ProvenanceStep, Source } from "../../../../src/projections/views/provenance.ts";
import { VisibleText } from "../../display/visible-text.tsx";

export interface SentenceSourceProps {
  source: Source;
  onSelect(runId: string, seq?: number): void;
}

export function SentenceSource({ source, onSelect }: SentenceSourceProps) {
  const { path, shared, excerpt, untrusted } = source;
  return (
    <section aria-label="Source" className="flex min-w-0 flex-col gap-1 [overflow-wrap:anywhere]">
      <p>
        <span className="text-muted">Rests on </span>
        {shared.map((words, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of one sentence do not change
          <span key={index}>
            {index > 0 && ", "}
            <q>
              <VisibleText text={words} />
            </q>
          </span>
        ))}
      </p>
      {untrusted.length > 0 && (
        <p className="text-warn">
          untrusted: words of <VisibleText text={untrusted.join(", ")} />
        </p>
      )}
      <ol className="flex flex-col">
        {path.map((step, depth) => (
          <li key={`${step.runId}#${step.seq}`} className="flex gap-1">
            {depth > 0 && (
              <span aria-hidden className="text-muted">
                ↳
              </span>
            )}
            <EventLink step={step} onSelect={onSelect} />
          </li>
        ))}
      </ol>
      <blockquote className="whitespace-pre-wrap border-line border-l-2 pl-2 font-mono text-muted text-xs">
        <VisibleText text={excerpt} />
      </blockquote>
    </section>
  );
}

export function EventLink({
  step: { runId, seq, agent, what },
  onSelect,
}: {
  step: ProvenanceStep;
  onSelect: SentenceSourceProps["onSelect"];
}) {
  return (
    <button
      type="button"
      title={`Event ${seq} of run ${runId}`}
      className="min-h-10 min-w-0 text-left text-accent underline underline-offset-2 md:min-h-5"
      onClick={() => onSelect(runId, seq)}
    >
      <VisibleText text={`${agent}: ${what}`} /> <span className="font-mono text-xs">#{seq}</span>
    </button>
  );
}
