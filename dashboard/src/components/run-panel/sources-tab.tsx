// The sources of each sentence of the answer: tool results, pages or messages that share words with the sentence.
// The tab also shows the path from the answer to each source.
// Sentences based on untrusted content are hatched and labelled.

import { useMemo, useState } from "react";
import {
  type Provenance,
  type ProvenanceStep,
  provenanceOf,
  type Source,
} from "../../../../src/projections/views/provenance.ts";
import { NO_SOURCE, TAINTED_ACTIONS, unreadTexts } from "../../../../src/projections/words/explanations.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { journalsOf } from "../why/journals.ts";
import { EmptyTab, Section } from "./section.tsx";

export interface SourcesTabProps {
  run: RunJournal;
  journal: TreeJournal;
  onSelect(runId: string, seq?: number): void;
}

export function SourcesTab({ run, journal, onSelect }: SourcesTabProps) {
  const { id, seq } = run.row;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the journal is one mutable object; a new event count means it changed
  const found = useMemo(() => provenanceOf(journalsOf(journal), id), [journal, journal.loaded, id, seq]);
  if (!found) return <EmptyTab>No answer yet: the run has not ended.</EmptyTab>;
  return (
    <>
      <Section title="Answer by sentence">
        <ol className="divide-y divide-line rounded-md border border-line bg-surface">
          {found.sentences.map((sentence, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change, and may repeat a sentence
            <Sentence key={index} sentence={sentence} onSelect={onSelect} />
          ))}
        </ol>
        <p className="text-muted text-xs">{unreadTexts(found.unread).join(" ")}</p>
      </Section>
      <Effects effects={found.effects} onSelect={onSelect} />
    </>
  );
}

const HATCHED = "bg-[repeating-linear-gradient(135deg,var(--color-warn-soft)_0_6px,transparent_6px_12px)]";

type OnSelect = SourcesTabProps["onSelect"];

function Sentence({ sentence, onSelect }: { sentence: Provenance["sentences"][number]; onSelect: OnSelect }) {
  const [isOpen, setOpen] = useState(false);
  const { text, sources } = sentence;
  const isUntrusted = sources.some(({ untrusted }) => untrusted.length > 0);
  return (
    <li className={classNames("text-sm", isUntrusted && HATCHED)}>
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-10 w-full flex-wrap items-baseline gap-x-2 gap-y-1 px-3 py-2 text-left hover:bg-raised md:min-h-0"
        onClick={() => setOpen(!isOpen)}
      >
        <span className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
          <VisibleText text={text} />
        </span>
        {isUntrusted && <Badge tone="warn">untrusted</Badge>}
        <span className="shrink-0 text-muted text-xs">
          {sources.length === 0 ? "no source found" : plural(sources.length, "source")}
        </span>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-3 border-line border-t bg-canvas px-3 py-2">
          {sources.length === 0 && (
            <p className="text-muted">
              {NO_SOURCE}: nothing the agents received shares its words. The model may have rephrased
              something or written it itself.
            </p>
          )}
          {sources.map((source) => (
            <SentenceSource
              key={source.path.map((step) => `${step.runId}#${step.seq}`).join()}
              source={source}
              onSelect={onSelect}
            />
          ))}
        </div>
      )}
    </li>
  );
}

function Effects({ effects, onSelect }: Pick<Provenance, "effects"> & { onSelect: OnSelect }) {
  if (effects.length === 0) return null;
  return (
    <Section title={TAINTED_ACTIONS}>
      <ul className="flex flex-col gap-1 text-sm">
        {effects.map((effect) => (
          <li key={`${effect.runId}#${effect.seq}`} className="min-w-0 [overflow-wrap:anywhere]">
            <EventLink step={effect} onSelect={onSelect} />{" "}
            <span className="text-muted text-xs">
              after content from <VisibleText text={effect.untrusted.join(", ")} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface SentenceSourceProps {
  source: Source;
  onSelect(runId: string, seq?: number): void;
}

function SentenceSource({ source, onSelect }: SentenceSourceProps) {
  const { path, shared, excerpt, untrusted } = source;
  return (
    <section aria-label="Source" className="flex min-w-0 flex-col gap-1 [overflow-wrap:anywhere]">
      <p>
        <span className="text-muted">Based on </span>
        {shared.map((words, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the shared words do not change
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
          untrusted: content from <VisibleText text={untrusted.join(", ")} />
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

function EventLink({
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
