// Components that explain: one shows the causes of an event, the other shows text that contains commands.

import { useMemo } from "react";
import { type Why, whyOf } from "../../../../src/projections/views/why.ts";
import { whyMarkdown } from "../../../../src/projections/views/why-markdown.ts";
import type { Reason } from "../../../../src/projections/views/why-schema.ts";
import { CAUSES } from "../../../../src/projections/words/explanations.ts";
import { clockTime } from "../../../../src/projections/words/format.ts";
import { useCommand } from "../../display/command/command.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { CopyButton, useCopy } from "../../ui/copy-button.tsx";
import type { RunViewProps } from "../run-view.ts";
import { eventLink, journalsOf } from "./journals.ts";

/** S1-64: the chain of causes of an event, back to the task. */
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
        <ol aria-label={CAUSES} className="mt-1 divide-y divide-line">
          {before.map((reason) => (
            <ReasonRow key={`${reason.runId}:${reason.seq}`} reason={reason} onSelect={onSelect} />
          ))}
        </ol>
      )}
    </section>
  );
}

interface ReasonRowProps {
  reason: Reason;
  onSelect(runId: string, seq?: number): void;
}

/** One event in a chain of causes: what happened and why, with a link to the event. */
export function ReasonRow({ reason, onSelect }: ReasonRowProps) {
  const { runId, agent, seq, ts, what, because } = reason;
  return (
    <li className="flex gap-2 py-1 text-sm">
      <time className="shrink-0 pt-0.5 text-muted text-xs tabular-nums max-sm:hidden">{clockTime(ts)}</time>
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <button
          type="button"
          title={`Event ${seq} of run ${runId}`}
          className="min-h-10 text-left underline-offset-2 hover:underline md:min-h-5"
          onClick={() => onSelect(runId, seq)}
        >
          <span className="text-muted">{agent}: </span>
          <VisibleText text={what} />
        </button>
        {because !== undefined && (
          <p className="text-muted text-xs">
            because <TextWithCode text={because} />
          </p>
        )}
      </div>
      <span className="shrink-0 pt-0.5 font-mono text-muted text-xs">#{seq}</span>
    </li>
  );
}

interface WithCodeProps {
  text: string;
  /** Whether Cadre wrote the text. Only commands in Cadre's own text get a copy button. */
  isOurs?: boolean;
}

/** Shows a text. Parts of the text in backticks appear as code. */
export function TextWithCode({ text, isOurs = false }: WithCodeProps) {
  const whole = useCommand();
  let at = 0;
  return text.split("`").map((part) => {
    const key = at++;
    if (key % 2 === 0) return <VisibleText key={key} text={part} />;
    const command = isOurs && part.startsWith(NAME) ? whole(part.slice(NAME.length)) : undefined;
    return (
      <span
        key={key}
        className={classNames("rounded bg-raised px-1", command !== undefined && "md:whitespace-nowrap")}
      >
        <code className="font-mono text-xs [overflow-wrap:anywhere]">{part}</code>
        {command !== undefined && (
          <CopyButton
            text={command}
            label={`Copy as command: ${command}`}
            className="h-5! px-1! align-middle max-md:hidden"
          />
        )}
      </span>
    );
  });
}

const NAME = "cadre ";

export function CopyMarkdown({ why }: { why: Why }) {
  const { copied, copy } = useCopy(() => whyMarkdown(why, eventLink));
  return (
    <Button size="small" className="max-md:h-10" onClick={copy}>
      {copied ? "Copied" : "Copy as Markdown"}
    </Button>
  );
}
