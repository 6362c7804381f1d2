// Where each sentence of the answer comes from: the words that it shares with a tool's result, a page or a message, and
// the way down to it. What nobody here wrote is hatched and says so.

import { useMemo, useState } from "react";
import {
  type Provenance,
  type ProvenanceStep,
  provenanceOf,
  type Source,
} from "../../../../src/projections/views/provenance.ts";
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the journal is the same object; it has changed when it has more events
  const found = useMemo(() => provenanceOf(journalsOf(journal), id), [journal, journal.loaded, id, seq]);
  if (!found) return <EmptyTab>It has not ended: there is no answer yet.</EmptyTab>;
  return (
    <>
      <Section title="The answer, sentence by sentence">
        <ol className="divide-y divide-line rounded-md border border-line bg-surface">
          {found.sentences.map((sentence, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change, and may say the same twice
            <Sentence key={index} sentence={sentence} onSelect={onSelect} />
          ))}
        </ol>
        <LeftOut unread={found.unread} />
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
              No source was found in the journal: nothing that the agents were given shares its words. It may
              be put in other words, or be the model's own.
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

function LeftOut({ unread: { sentences, sources } }: Pick<Provenance, "unread">) {
  if (sentences + sources === 0) return null;
  return (
    <p className="text-muted text-xs">
      {sentences > 0 && `${plural(sentences, "sentence")} more, which are not looked at. `}
      {sources > 0 && `${plural(sources, "source")} not read to the end: there is more than is looked at.`}
    </p>
  );
}

function Effects({ effects, onSelect }: Pick<Provenance, "effects"> & { onSelect: OnSelect }) {
  if (effects.length === 0) return null;
  return (
    <Section title="Done after words had come in that nobody here wrote">
      <ul className="flex flex-col gap-1 text-sm">
        {effects.map((effect) => (
          <li key={`${effect.runId}#${effect.seq}`} className="min-w-0 [overflow-wrap:anywhere]">
            <EventLink step={effect} onSelect={onSelect} />{" "}
            <span className="text-muted text-xs">
              words of <VisibleText text={effect.untrusted.join(", ")} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

// One text that a sentence rests on: the words that both have, the way from the answer down to it, and what stands there.
interface SentenceSourceProps {
  source: Source;
  onSelect(runId: string, seq?: number): void;
}

function SentenceSource({ source, onSelect }: SentenceSourceProps) {
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
