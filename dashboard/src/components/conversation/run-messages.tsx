// The conversation of a run: the messages to the agent, and the agent's answers. The run's page and the chat show this conversation.
// S4-55 to S4-58: an answer contains everything that an agent does until the agent is done. The answer grows while the agent works.
// When the agent is done, the answer shows its final text, and its activity collapses to one line.

import { ChevronRight, CircleAlert, ClipboardList, Cog, Info, MessageSquareText, User } from "lucide-react";
import { useState } from "react";
import {
  type Answer,
  activityCounts,
  type ConversationActivity,
  type ConversationMessage,
  type ConversationNote,
  type ConversationThought,
  type IncomingMessage,
} from "../../../../src/projections/views/conversation.ts";
import { duration, plural } from "../../../../src/projections/words/format.ts";
import { STATUS_LABELS, type StatusLabel, shownStatus } from "../../../../src/projections/words/statuses.ts";
import { stopLabel } from "../../../../src/projections/words/stop-reasons.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { Attachments } from "../../display/attachments.tsx";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { Loading } from "../../display/page-state.tsx";
import { When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { talkOf } from "../../live/folds.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { Badge, TEXT_TONES } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Details } from "../../ui/details.tsx";
import { ChildBox } from "./child-box.tsx";
import { InProgress, Reasoning } from "./in-progress.tsx";
import {
  isFiltered,
  matchesActivity,
  matchesFinalText,
  matchesIncoming,
  NO_FILTER,
  type TalkFilter,
} from "./talk-filter.ts";
import { ToolRow } from "./tool-row.tsx";

export interface RunMessagesProps {
  journal: TreeJournal;
  runId: string;
  /** Nesting level of the run's box on the page. The outermost run has level 0. */
  depth?: number;
  filter?: TalkFilter;
  /** Sequence number of the selected event. */
  seq?: number | undefined;
  onSelect?: ((runId: string, seq?: number) => void) | undefined;
}

export function RunMessages(props: RunMessagesProps) {
  const { journal, runId, depth = 0, filter = NO_FILTER, seq } = props;
  const run = journal.runs.get(runId);
  if (!run) return null;
  const messages = talkOf(run.events).messages.filter((message) => {
    if (depth > 0 && isInHeader(message)) return false;
    if (!isFiltered(filter)) return true;
    if (message.kind === "heard") return matchesIncoming(message, filter);
    return (
      matchesFinalText(message, filter) || message.activity.some((each) => matchesActivity(each, filter))
    );
  });
  if (messages.length === 0)
    return <p className="p-4 text-center text-muted text-sm">No message matches the filter.</p>;
  return (
    <div className="flex flex-col gap-4">
      {messages.map((message) =>
        message.kind === "heard" ? (
          <Incoming key={message.seq} runId={runId} message={message} selected={message.seq === seq} />
        ) : (
          <AnswerMessage key={message.seq} {...props} {...{ answer: message, run, depth, filter }} />
        ),
      )}
    </div>
  );
}

/** True if the message is a short task. The header of the child's box already shows such a task. */
const isInHeader = (message: ConversationMessage): boolean =>
  message.kind === "heard" &&
  message.source === "task" &&
  message.text.length <= 60 &&
  message.attachments.length === 0 &&
  message.untrusted.length === 0;

interface IncomingProps {
  runId: string;
  message: IncomingMessage;
  selected: boolean;
}

function Incoming({ runId, message, selected }: IncomingProps) {
  const { seq, source, from, text, ts, attachments, untrusted } = message;
  const [Icon, sender] = SENDERS[source];
  return (
    <article
      data-seq={seq}
      className={classNames(
        "ml-auto w-fit min-w-48 max-w-[92%] rounded-lg bg-accent-soft px-3 py-2 md:max-w-[80%]",
        selected && "ring-2 ring-accent",
      )}
    >
      <p className="flex flex-wrap items-center gap-x-2 pb-1 text-muted text-xs">
        <Icon size={13} aria-hidden />
        <span>
          {sender}
          {from !== undefined && (
            <>
              {" "}
              · <VisibleText text={from} />
            </>
          )}
        </span>
        <When ts={ts} />
        {untrusted.length > 0 && (
          <Badge tone="warn" title={untrusted.join(", ")}>
            contains untrusted content
          </Badge>
        )}
      </p>
      <Markdown text={text} />
      <Attachments runId={runId} files={attachments} />
    </article>
  );
}

const SENDERS: Record<IncomingMessage["source"], [icon: typeof User, name: string]> = {
  task: [ClipboardList, "Task"],
  person: [User, "Person"],
  parent: [MessageSquareText, "Parent run"],
  agent: [MessageSquareText, "Another agent"],
  advice: [MessageSquareText, "Advisor"],
  team: [MessageSquareText, "Team"],
  steps: [Cog, "Steps module"],
  system: [Cog, "Cadre"],
};

interface AnswerProps extends RunMessagesProps {
  answer: Answer;
  run: RunJournal;
  depth: number;
  filter: TalkFilter;
}

function AnswerMessage(props: AnswerProps) {
  const { answer, run, depth, filter, seq } = props;
  const [unfolded, setUnfolded] = useState<boolean>();
  const isOver = answer.to !== undefined;
  const hasSelection = seq !== undefined && answer.activity.some((each) => each.seq === seq);
  // An answer that a message interrupted has no final text, so its words stay visible.
  const isCutOff = answer.text === undefined;
  const open = unfolded ?? (!isOver || isCutOff || isFiltered(filter) || hasSelection);
  return (
    <article data-seq={answer.seq} className="flex max-w-full flex-col gap-2">
      {depth === 0 && (
        <p className="flex items-center gap-2 text-muted text-xs">
          <RoleIcon agent={run.row.agent} size={14} />
          <span className="font-semibold text-ink">
            <AgentName agent={run.row.agent} />
          </span>
          <When ts={answer.ts} />
        </p>
      )}
      {isOver && answer.activity.length > 0 && (
        <Summary answer={answer} open={open} onToggle={() => setUnfolded(!open)} />
      )}
      <ActivityList {...props} open={open} />
      {!isOver && <InProgress run={run} />}
      {isOver && (!isFiltered(filter) || matchesFinalText(answer, filter)) && <FinalText answer={answer} />}
    </article>
  );
}

function Summary({ answer, open, onToggle }: { answer: Answer; open: boolean; onToggle(): void }) {
  const { tools, files, ms } = activityCounts(answer);
  const parts = [
    tools > 0 ? plural(tools, "tool") : "",
    files > 0 ? plural(files, "file") : "",
    ms === undefined ? "" : duration(ms),
  ].filter(Boolean);
  return (
    <Button
      look="quiet"
      size="small"
      aria-expanded={open}
      className="-ml-2 self-start max-md:h-10"
      onClick={onToggle}
    >
      <ChevronRight size={13} aria-hidden className={open ? "rotate-90" : undefined} />
      {parts.length === 0 ? "Steps" : parts.join(" · ")}
    </Button>
  );
}

/** A long answer shows only its latest activities at first. */
const MAX_SHOWN = 60;

/** When the answer is collapsed, only its child runs remain visible. */
function ActivityList(props: AnswerProps & { open: boolean }) {
  const { answer, open, filter } = props;
  const [all, setAll] = useState(false);
  const wanted = answer.activity.filter(
    (each) =>
      (open || each.kind === "child") &&
      !(each.kind === "call" && each.isReplaced) &&
      matchesActivity(each, filter),
  );
  const shown = all ? wanted : wanted.slice(-MAX_SHOWN);
  if (wanted.length === 0) return null;
  return (
    <div className="flex flex-col gap-1.5">
      {shown.length < wanted.length && (
        <Button size="small" className="self-start" onClick={() => setAll(true)}>
          Show {wanted.length - shown.length} earlier
        </Button>
      )}
      {shown.map((activity) => (
        <ActivityItem key={`${activity.seq}/${idOf(activity)}`} {...props} activity={activity} />
      ))}
    </div>
  );
}

const idOf = (activity: ConversationActivity): string =>
  activity.kind === "call" ? activity.id : activity.kind === "child" ? activity.runId : activity.kind;

function ActivityItem(props: AnswerProps & { activity: ConversationActivity }) {
  const { activity, run, seq } = props;
  const selected = activity.seq === seq;
  if (activity.kind === "child") return <Child {...props} runId={activity.runId} />;
  if (activity.kind === "call")
    return (
      <div data-seq={activity.seq}>
        <ToolRow
          runId={run.row.id}
          call={activity}
          streaming={run.streaming.get(activity.id)}
          selected={selected}
        />
      </div>
    );
  return (
    <div data-seq={activity.seq} className={classNames("rounded-md", selected && "ring-2 ring-accent")}>
      {activity.kind === "thought" ? <Thought thought={activity} /> : <Note note={activity} />}
    </div>
  );
}

function Child({ journal, runId, depth, filter, onSelect }: AnswerProps) {
  const run = journal.runs.get(runId);
  if (!run) return <Loading what="Loading the child's journal" />;
  const isLive = run.row.endedAt === undefined;
  return (
    <ChildBox run={run} isOpen={isLive && depth === 0} onSelect={onSelect && (() => onSelect(runId))}>
      {() => <RunMessages {...{ journal, runId, filter, onSelect }} depth={depth + 1} />}
    </ChildBox>
  );
}

const Thought = ({ thought: { text, reasoning } }: { thought: ConversationThought }) => (
  <div className="flex flex-col gap-1 py-0.5">
    {reasoning.trim() !== "" && <Reasoning text={reasoning} />}
    {text.trim() !== "" && <Markdown text={text} />}
  </div>
);

function Note({ note: { text, detail, tone } }: { note: ConversationNote }) {
  const Icon = tone === "bad" || tone === "warn" ? CircleAlert : Info;
  const line = (
    <span className={classNames("flex items-start gap-1.5 text-xs", TEXT_TONES[tone])}>
      <Icon size={13} aria-hidden className="mt-0.5 shrink-0" />
      <VisibleText text={text} className="wrap-anywhere" />
    </span>
  );
  if (detail === undefined) return line;
  return (
    <Details summary={line} className="list-none hover:bg-raised">
      {() => (
        <div className="border-line border-l-2 py-1 pl-3 text-sm">
          <Markdown text={detail} />
        </div>
      )}
    </Details>
  );
}

function FinalText({ answer: { text, end } }: { answer: Answer }) {
  if (text === undefined) return null;
  const status = end ? shownStatus({ status: end.result.status, stopReason: end.stopReason }) : "completed";
  const { label, tone } = STATUS_LABELS[status];
  return (
    <div className={classNames("rounded-lg border border-line bg-surface px-3 py-2", EDGES[tone])}>
      {end && status !== "completed" && (
        <p className="pb-1">
          <Badge tone={tone}>
            {label}: {stopLabel(end.stopReason)}
          </Badge>
        </p>
      )}
      <Markdown text={text} />
    </div>
  );
}

const EDGES: Partial<Record<StatusLabel["tone"], string>> = { bad: "border-bad", warn: "border-warn" };
