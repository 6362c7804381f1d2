import { CircleAlert, Info } from "lucide-react";
import { type ReactNode, useState } from "react";
import type {
  ConversationActivity,
  ConversationNote,
  ConversationThought,
} from "../../../../src/projections/views/conversation.ts";
import { Loading } from "../../display/loading.tsx";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { classNames } from "../../ui/class-names.ts";
import { ChildBox } from "./child-box.tsx";
import { Reasoning } from "./reasoning.tsx";
import { ToolRow } from "./tool-row.tsx";

export interface ActivityItemProps {
  activity: ConversationActivity;
  run: RunJournal;
  journal: TreeJournal;
  depth: number;
  seq: number | undefined;
  onSelect: ((runId: string, seq?: number) => void) | undefined;
  /** Renders the conversation of a child run. */
  renderRun(runId: string): ReactNode;
}

export function ActivityItem(props: ActivityItemProps) {
  const { activity, run, seq } = props;
  const selected = activity.seq === seq;
  if (activity.kind === "child") return <Child {...props} runId={activity.runId} />;
  if (activity.kind === "call")
    return (
      <div data-seq={activity.seq}>
        <ToolRow call={activity} streaming={run.streaming.get(activity.id)} selected={selected} />
      </div>
    );
  return (
    <div data-seq={activity.seq} className={classNames("rounded-md", selected && "ring-2 ring-accent")}>
      {activity.kind === "thought" ? <Thought thought={activity} /> : <Note note={activity} />}
    </div>
  );
}

function Child({ journal, runId, depth, onSelect, renderRun }: ActivityItemProps & { runId: string }) {
  const run = journal.runs.get(runId);
  if (!run) return <Loading what="Loading the child's journal" />;
  const isLive = run.row.endedAt === undefined;
  return (
    <ChildBox run={run} isOpen={isLive && depth === 0} onSelect={onSelect && (() => onSelect(runId))}>
      {() => renderRun(runId)}
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
  const [open, setOpen] = useState(false);
  const Icon = tone === "bad" || tone === "warn" ? CircleAlert : Info;
  const line = (
    <span className={classNames("flex items-start gap-1.5 text-xs", TONES[tone])}>
      <Icon size={13} aria-hidden className="mt-0.5 shrink-0" />
      <span className="wrap-anywhere">
        <VisibleText text={text} />
      </span>
    </span>
  );
  if (detail === undefined) return line;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer list-none rounded hover:bg-raised">{line}</summary>
      {open && (
        <div className="border-line border-l-2 py-1 pl-3 text-sm">
          <Markdown text={detail} />
        </div>
      )}
    </details>
  );
}

const TONES = {
  plain: "text-ink",
  quiet: "text-muted",
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
};
