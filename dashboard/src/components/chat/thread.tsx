// One conversation: the runs of a session, the latest at the end. Only the latest is followed; what ended is read on
// demand, so that a long conversation opens as fast as a short one.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Failure } from "../../display/failure.tsx";
import { Loading } from "../../display/loading.tsx";
import { client } from "../../live/client.ts";
import { runsQuery } from "../../live/queries.ts";
import { useTreeJournal } from "../../live/use-tree-journal.ts";
import { useFollowEnd } from "../conversation/use-follow-end.ts";
import { ChatHeader } from "./chat-header.tsx";
import { Composer } from "./composer.tsx";
import { LiveRun } from "./live-run.tsx";
import type { Mode } from "./mode-switch.tsx";
import { PastRun } from "./past-run.tsx";
import { UnreadMessages } from "./queue.tsx";
import { RunHistory, StatusCards } from "./status-cards.tsx";

const MOST_RUNS = 500;
const NOT_HERE = new Error("There is no such conversation, or nothing was said in it yet.");

export function Thread({ sessionId }: { sessionId: string }) {
  const query = useInfiniteQuery(runsQuery({ session: sessionId, limit: MOST_RUNS }));
  if (query.isError) return <Failure error={query.error} onAgain={() => void query.refetch()} />;
  if (!query.data) return <Loading what="Asking for the conversation" />;
  const runs = query.data.pages
    .flatMap((page) => page.runs)
    .filter(({ parentRunId }) => parentRunId === undefined)
    .reverse();
  const last = runs.at(-1);
  if (!last) return <Failure error={NOT_HERE} />;
  return <Runs key={sessionId} sessionId={sessionId} runs={runs} last={last} />;
}

type Run = Awaited<ReturnType<typeof client.runs>>["runs"][number];

function Runs({ sessionId, runs, last }: { sessionId: string; runs: Run[]; last: Run }) {
  const [chosen, setChosen] = useState<Mode>(last.mode);
  const [filter, setFilter] = useState("");
  const journal = useTreeJournal(last.rootRunId);
  const current = journal?.runs.get(last.id);
  const row = current?.row ?? last;
  const busy = row.endedAt === undefined;
  const mode = busy ? row.mode : chosen;
  const say = async (text: string, key: string) => {
    await client.say(sessionId, { agent: last.agent, text, mode, attended: true }, key);
  };
  const { outer, inner } = useFollowEnd(true);
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ChatHeader run={row} mode={mode} onMode={setChosen} filter={filter} onFilter={setFilter} />
        <div ref={outer} className="min-h-0 flex-1 overflow-auto">
          <div ref={inner} className="mx-auto max-w-3xl space-y-8 p-4">
            {runs
              .slice(0, -1)
              .filter((run) => has(run, filter))
              .map((run) => (
                <PastRun key={run.id} run={run} />
              ))}
            <LiveRun journal={journal} runId={last.id} filter={filter} />
          </div>
        </div>
        {current && busy && <UnreadMessages run={current} />}
        <Composer draft={sessionId} placeholder={`Say something to ${last.agent}`} busy={busy} send={say} />
      </section>
      <aside className="hidden w-72 shrink-0 space-y-4 overflow-auto border-line border-l p-3 lg:block">
        {journal && <StatusCards journal={journal} />}
        <RunHistory agent={last.agent} />
      </aside>
    </div>
  );
}

function has({ task, summary = "" }: Run, filter: string): boolean {
  return `${task}\n${summary}`.toLowerCase().includes(filter.trim().toLowerCase());
}
