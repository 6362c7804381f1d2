// The last part of an unfinished answer: the text being streamed, or a line that names what the agent is waiting for.

import { Brain, Hand, Hourglass, LoaderCircle } from "lucide-react";
import { shownStatus } from "../../../../src/projections/words/statuses.ts";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { Elapsed } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { talkOf, waterfallOf } from "../../live/folds.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { Details } from "../../ui/details.tsx";
import { ANSWERED } from "../run-header/status-text.ts";

export function InProgress({ run }: { run: RunJournal }) {
  const open = talkOf(run.events).open;
  const text = open?.isTurn ? run.streaming.get(open.callId)?.text : undefined;
  const reasoning = open?.isTurn ? run.streaming.get(`${open.callId}/reasoning`)?.text : undefined;
  return (
    <div className="flex flex-col gap-1.5">
      {reasoning && <Reasoning text={reasoning} isLive />}
      {text ? <Markdown text={text} /> : <CurrentWork run={run} />}
    </div>
  );
}

function CurrentWork({ run }: { run: RunJournal }) {
  if (run.row.answered)
    return (
      <p className="flex items-center gap-1.5 text-muted text-xs">
        <Hourglass size={13} aria-hidden /> {ANSWERED}
      </p>
    );
  const span = waterfallOf(run.events).spans.at(-1);
  const needsPerson = shownStatus(run.row) === "needs_person";
  const isWorking = span?.activity === "model" || span?.activity === "tool" || span?.activity === "child";
  const Icon = needsPerson ? Hand : isWorking ? LoaderCircle : Hourglass;
  return (
    <p className="flex items-center gap-1.5 text-muted text-xs">
      <Icon size={13} aria-hidden className={Icon === LoaderCircle ? "animate-spin" : undefined} />
      <span className="min-w-0 truncate">
        <VisibleText
          text={span?.activity === "model" ? `Waiting for ${span.label}` : (span?.label ?? "Starting")}
        />
      </span>
      {span && <Elapsed from={span.from} />}
    </p>
  );
}

/** The reasoning that the model wrote before its answer. The box starts collapsed. */
export function Reasoning({ text, isLive = false }: { text: string; isLive?: boolean }) {
  const summary = (
    <>
      <Brain size={13} aria-hidden /> {isLive ? "Thinking…" : "Reasoning"}
    </>
  );
  return (
    <Details
      summary={summary}
      className="flex list-none items-center gap-1.5 text-muted text-xs hover:text-ink max-md:min-h-10"
    >
      {() => (
        <div className="border-line border-l-2 py-1 pl-3 text-muted text-sm">
          <Markdown text={text} />
        </div>
      )}
    </Details>
  );
}
