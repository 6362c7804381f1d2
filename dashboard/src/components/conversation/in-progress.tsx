// The end of an unfinished answer: the text being streamed, or what the agent is waiting for.

import { Hand, Hourglass, LoaderCircle } from "lucide-react";
import { shownStatus } from "../../../../src/projections/words/statuses.ts";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { Elapsed } from "../../display/time/elapsed.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { talkOf, waterfallOf } from "../../live/folds.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { ANSWERED } from "../run-header/status-text.ts";
import { Reasoning } from "./reasoning.tsx";

export function InProgress({ run }: { run: RunJournal }) {
  const open = talkOf(run.events).open;
  const text = open?.isTurn ? run.streaming.get(open.callId)?.text : undefined;
  const reasoning = open?.isTurn ? run.streaming.get(`${open.callId}/reasoning`)?.text : undefined;
  return (
    <div className="flex flex-col gap-1.5">
      {reasoning && <Reasoning text={reasoning} isLive />}
      {text ? <Markdown text={text} /> : <Standing run={run} />}
    </div>
  );
}

const Answered = () => (
  <p className="flex items-center gap-1.5 text-muted text-xs">
    <Hourglass size={13} aria-hidden /> {ANSWERED}
  </p>
);

function Standing({ run }: { run: RunJournal }) {
  const span = waterfallOf(run.events).spans.at(-1);
  const needsPerson = shownStatus(run.row) === "needs_person";
  if (run.row.answered) return <Answered />;
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
