// The result of a finished run, shown at the top because the end of the timeline may be far below.

import { ChevronDown, ChevronUp, Flag } from "lucide-react";
import type { JournalEvent } from "../../../../src/journal/events.ts";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal } from "../../live/tree-journal.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { useLocalStorage } from "../../ui/local-storage.ts";
import { ScrollBox } from "../../ui/scroll-box.tsx";

export function AnswerCard({ run }: { run: RunJournal }) {
  const [kept, keep] = useLocalStorage("cadre.answer");
  const text = answerOf(run.events.at(-1));
  if (text === undefined) return null;
  const isOpen = kept !== "closed";
  return (
    <section
      aria-label="Answer"
      className="flex max-h-[min(15rem,30vh)] shrink-0 flex-col border-line border-b border-l-4 border-l-good bg-surface py-1 pl-4"
    >
      <div className="flex items-center gap-2 pr-3">
        <h2 className="flex shrink-0 items-center gap-1.5 font-semibold text-good text-sm">
          <Flag size={14} aria-hidden /> Answer
        </h2>
        <p className="min-w-0 flex-1 truncate text-sm">
          {!isOpen && <VisibleText text={text.slice(0, 300)} />}
        </p>
        <CopyButton text={text} label="Copy the answer" className="max-md:h-10 max-md:min-w-10" />
        <Button
          look="quiet"
          size="small"
          aria-expanded={isOpen}
          aria-label={isOpen ? "Collapse the answer" : "Expand the answer"}
          className="max-md:h-10 max-md:min-w-10"
          onClick={() => keep(isOpen ? "closed" : undefined)}
        >
          {isOpen ? <ChevronUp size={14} aria-hidden /> : <ChevronDown size={14} aria-hidden />}
        </Button>
      </div>
      {isOpen && (
        <ScrollBox label="Answer text" className="pr-4 pb-1">
          <div className="max-w-4xl text-sm">
            <Markdown text={text} />
          </div>
        </ScrollBox>
      )}
    </section>
  );
}

function answerOf(last: JournalEvent | undefined): string | undefined {
  if (last?.type !== "RUN_COMPLETED") return undefined;
  const { summary, result } = last.payload;
  const more = result.details === undefined || result.details === summary ? [] : [result.details];
  return [summary, ...more].join("\n\n") || undefined;
}
