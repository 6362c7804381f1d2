// One conversation: the runs of a session, latest last.
// The page follows only the latest run and loads earlier runs on demand, so a long conversation opens as fast as a short one.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Clock } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { RunSummary as Run } from "../../../../src/api/client/types.ts";
import { duration, money, plural } from "../../../../src/projections/words/format.ts";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { Failure, Loading } from "../../display/page-state.tsx";
import { attachmentsField, type SentFile } from "../../display/sent-file.ts";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { runQuery, runsQuery, treeApprovalsQuery } from "../../live/queries.ts";
import { type RunJournal, type TreeJournal, useTreeJournal } from "../../live/tree-journal.ts";
import { Button } from "../../ui/button.tsx";
import { usePageTitle } from "../../ui/page-title.ts";
import { RunMessages } from "../conversation/run-messages.tsx";
import { NO_FILTER } from "../conversation/talk-filter.ts";
import { useFollowEnd } from "../conversation/use-follow-end.ts";
import { agentActivity } from "./agent-activity.ts";
import { ChatHeader, type Mode } from "./chat-header.tsx";
import { Composer } from "./composer.tsx";
import { RunHistory, StatusCards } from "./status-cards.tsx";

const MOST_RUNS = 500;
const NOT_HERE = new Error("There is no such conversation, or it has no messages yet.");

export function Thread({ sessionId }: { sessionId: string }) {
  const query = useInfiniteQuery(runsQuery({ session: sessionId, limit: MOST_RUNS }));
  if (query.isError) return <Failure error={query.error} onAgain={() => void query.refetch()} />;
  if (!query.data) return <Loading what="Loading the conversation" />;
  const runs = query.data.pages
    .flatMap((page) => page.runs)
    .filter(({ parentRunId }) => parentRunId === undefined)
    .reverse();
  // The conversation stays with its agent when that agent sends messages to others.
  const last = runs.findLast(({ trigger }) => trigger !== "message") ?? runs.at(-1);
  if (!last) return <Failure error={NOT_HERE} />;
  const others = runs.filter((run) => run !== last && run.trigger === "message");
  const earlier = runs.filter((run) => run !== last && run.trigger !== "message");
  return <Runs key={sessionId} {...{ sessionId, earlier, others, last }} />;
}

interface RunsProps {
  sessionId: string;
  /** The conversation's runs before the last one. */
  earlier: Run[];
  /** Runs that messages of an agent started. */
  others: Run[];
  last: Run;
}

function Runs({ sessionId, earlier, others, last }: RunsProps) {
  const [chosen, setChosen] = useState<Mode>(last.mode);
  const [filter, setFilter] = useState("");
  const journal = useTreeJournal(last.rootRunId);
  const current = journal?.runs.get(last.id);
  const row = current?.row ?? last;
  const busy = row.endedAt === undefined;
  const mode = busy ? row.mode : chosen;
  const say = async (text: string, key: string, files: readonly SentFile[]) => {
    await client.post("/api/sessions/{id}/messages", {
      id: sessionId,
      body: { agent: last.agent, text, mode, attended: true, ...attachmentsField(files) },
      idempotencyKey: key,
    });
  };
  usePageTitle(`${last.agent}: ${(earlier[0] ?? last).task.slice(0, 60)}`);
  const { outer, inner } = useFollowEnd(true);
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ChatHeader run={row} mode={mode} onMode={setChosen} filter={filter} onFilter={setFilter} />
        <div ref={outer} className="min-h-0 flex-1 overflow-auto">
          <div ref={inner} className="mx-auto max-w-3xl space-y-8 p-4">
            {earlier
              .filter((run) => matchesFilter(run, filter))
              .map((run) => (
                <PastRun key={run.id} run={run} />
              ))}
            <MessagesOf journal={journal} runId={last.id} filter={filter} />
            <OtherAgents runs={others} />
          </div>
        </div>
        {busy && <Requests rootId={last.rootRunId} />}
        {current && busy && <UnreadMessages run={current} />}
        <Composer draft={sessionId} placeholder={`Message ${last.agent}`} busy={busy} send={say} />
      </section>
      <aside className="hidden w-72 shrink-0 space-y-4 overflow-auto border-line border-l p-3 lg:block">
        {journal && <StatusCards journal={journal} />}
        <RunHistory agent={last.agent} />
      </aside>
    </div>
  );
}

function matchesFilter({ task, summary = "" }: Run, filter: string): boolean {
  return `${task}\n${summary}`.toLowerCase().includes(filter.trim().toLowerCase());
}

interface MessagesOfProps {
  journal: TreeJournal | undefined;
  runId: string;
  /** If set, only messages that contain this text are shown. */
  filter?: string;
}

function MessagesOf({ journal, runId, filter = "" }: MessagesOfProps) {
  if (journal?.failure) return <Failure error={journal.failure} />;
  if (!journal?.runs.has(runId)) return <Loading what="Loading the journal" />;
  return <RunMessages journal={journal} runId={runId} filter={{ ...NO_FILTER, text: filter }} />;
}

const DecideHere = lazy(async () => ({ default: (await import("../inbox/decide-here.tsx")).DecideHere }));

/** The open requests of the agent and of the agents below it. The user decides about them in the chat. */
function Requests({ rootId }: { rootId: string }) {
  const { data = [] } = useQuery(treeApprovalsQuery(rootId));
  if (data.length === 0) return null;
  return (
    <Suspense>
      <DecideHere items={data} />
    </Suspense>
  );
}

/** S4-43: messages that the agent has not read yet, oldest first. */
function UnreadMessages({ run }: { run: RunJournal }) {
  const { queue } = agentActivity(run);
  if (queue.length === 0) return null;
  return (
    <section aria-label="Unread messages" className="border-line border-t bg-surface px-4 py-2">
      <h2 className="flex items-center gap-1.5 text-muted text-xs">
        <Clock size={12} aria-hidden /> The agent reads these at its next turn
      </h2>
      <ol className="pt-1">
        {queue.map(({ id, from, text }) => (
          <li key={id} className="truncate text-sm">
            {from !== undefined && <span className="text-muted">{from}: </span>}
            <VisibleText text={text} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/**
 * S4-58: an earlier run of the conversation: the task, the final message, and one line about effort and cost.
 * The steps between the task and the final message load on demand.
 */
function PastRun({ run }: { run: Run }) {
  const [open, setOpen] = useState(false);
  if (open) return <WholeRun run={run} onClose={() => setOpen(false)} />;
  return (
    <article aria-label={`Run of ${run.agent}`} className="space-y-3">
      <p className="ml-auto w-fit max-w-[85%] whitespace-pre-wrap rounded-lg bg-accent-soft px-3 py-2">
        <VisibleText text={run.task} />
      </p>
      <FinalMessage run={run} />
      <p className="flex flex-wrap items-center gap-2 text-muted text-xs">
        <StatusBadge run={run} />
        {activity(run)}
        <Button look="quiet" size="small" onClick={() => setOpen(true)}>
          Show the steps
        </Button>
        <Link to="/r/$runId" params={{ runId: run.id }} className="underline">
          Open the run
        </Link>
      </p>
    </article>
  );
}

/** Agents that got a message in this conversation, and what became of their work. */
function OtherAgents({ runs }: { runs: readonly Run[] }) {
  if (runs.length === 0) return null;
  return (
    <ul aria-label="Agents that got a message" className="space-y-1 text-muted text-xs">
      {runs.map((run) => (
        <li key={run.id} className="flex flex-wrap items-center gap-2">
          <span>Message to {run.agent}</span>
          <StatusBadge run={run} />
          <Link to="/r/$runId" params={{ runId: run.id }} className="underline">
            Open the run
          </Link>
        </li>
      ))}
    </ul>
  );
}

function FinalMessage({ run }: { run: Run }) {
  const detail = useQuery(runQuery(run.id));
  const output = detail.data?.output;
  const text = typeof output === "string" && output !== "" ? output : (run.summary ?? "");
  return <Markdown text={text} />;
}

function WholeRun({ run, onClose }: { run: Run; onClose(): void }) {
  const journal = useTreeJournal(run.rootRunId);
  return (
    <article aria-label={`Run of ${run.agent}`}>
      <Button look="quiet" size="small" onClick={onClose}>
        Hide the steps
      </Button>
      <MessagesOf journal={journal} runId={run.id} />
    </article>
  );
}

function activity({ turns, usage, createdAt, endedAt }: Run): string {
  const parts = [
    endedAt === undefined ? "" : duration(endedAt - createdAt),
    plural(turns, "turn"),
    usage.toolCalls > 0 ? plural(usage.toolCalls, "tool call") : "",
    money(usage.cost, usage.unpriced),
  ];
  return parts.filter(Boolean).join(" · ");
}
