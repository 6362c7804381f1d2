// S4-55 to S4-58: one message for everything an agent does until it is done. It grows while the agent works. At the end
// the final text becomes the message, and the activity is one line that expands.

import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Answer, activityCounts } from "../../../../src/projections/views/conversation.ts";
import { duration, plural } from "../../../../src/projections/words/format.ts";
import { AgentName } from "../../display/agent/agent-name.tsx";
import { RoleIcon } from "../../display/agent/role-icon.tsx";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { When } from "../../display/time/when.tsx";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ActivityItem } from "./activity-item.tsx";
import { InProgress } from "./in-progress.tsx";
import { isFiltered, matchesActivity, matchesFinalText, type TalkFilter } from "./talk-filter.ts";

export interface AnswerProps {
  answer: Answer;
  run: RunJournal;
  journal: TreeJournal;
  depth: number;
  filter: TalkFilter;
  seq: number | undefined;
  onSelect: ((runId: string, seq?: number) => void) | undefined;
  renderRun(runId: string): ReactNode;
}

/** A long answer shows only its latest activities at first. */
const MAX_SHOWN = 60;

export function AnswerMessage(props: AnswerProps) {
  const { answer, run, depth, filter, seq } = props;
  const [unfolded, setUnfolded] = useState<boolean>();
  const isOver = answer.to !== undefined;
  const open = unfolded ?? (!isOver || isFiltered(filter) || isAmong(answer, seq));
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
      {isOver && (!isFiltered(filter) || matchesFinalText(answer, filter)) && <LastWords answer={answer} />}
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

/** When collapsed, only child runs remain visible. */
function ActivityList({ answer, open, filter, ...props }: AnswerProps & { open: boolean }) {
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
        <ActivityItem key={`${activity.seq}/${idOf(activity)}`} activity={activity} {...props} />
      ))}
    </div>
  );
}

function LastWords({ answer: { text, end } }: { answer: Answer }) {
  if (text === undefined) return null;
  const status = end?.result.status ?? "completed";
  return (
    <div
      className={classNames(
        "rounded-lg border border-line bg-surface px-3 py-2",
        status === "failed" && "border-bad",
      )}
    >
      {end && status !== "completed" && (
        <p className="pb-1">
          <Badge tone={status === "failed" ? "bad" : "muted"}>
            {status}: {end.stopReason.replaceAll("_", " ")}
          </Badge>
        </p>
      )}
      <Markdown text={text} />
    </div>
  );
}

const isAmong = ({ activity }: Answer, seq: number | undefined): boolean =>
  seq !== undefined && activity.some((each) => each.seq === seq);

const idOf = (activity: Answer["activity"][number]): string =>
  activity.kind === "call" ? activity.id : activity.kind === "child" ? activity.runId : activity.kind;
