// The right-hand column of a conversation. It shows a card for each run of the tree, with its state and counts (S4-63, S4-65).
// Below the cards, the column lists the main agent's earlier runs (S4-59).

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AgentState } from "../../../../src/projections/formats/live-feed.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { AgentName, RoleIcon } from "../../display/agent/agent.tsx";
import { StatusBadge } from "../../display/status/status-badge.tsx";
import { Elapsed, When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { runsQuery } from "../../live/queries.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { Badge } from "../../ui/badge.tsx";
import { agentActivity } from "./agent-activity.ts";

export function StatusCards({ journal }: { journal: TreeJournal }) {
  const runs = [...journal.runs.values()];
  return (
    <ul aria-label="Agents at work" className="space-y-2">
      {runs.map((run) => (
        <AgentCard key={run.row.id} run={run} />
      ))}
    </ul>
  );
}

const STATES: Record<AgentState, string> = {
  model_loading: "waiting for its model",
  thinking: "thinking",
  calling_tool: "using a tool",
  working: "working",
  idle: "idle",
};

function AgentCard({ run }: { run: RunJournal }) {
  const { row, events, children } = run;
  const { state, detail } = agentActivity(run);
  return (
    <li className="rounded-md border border-line bg-surface p-2.5 text-sm">
      <p className="flex items-center gap-1.5">
        <RoleIcon agent={row.agent} />
        <Link
          to="/r/$runId"
          params={{ runId: row.id }}
          className="min-w-0 truncate font-medium hover:underline"
        >
          <AgentName agent={row.agent} />
        </Link>
        <span className="ml-auto">
          <StatusBadge run={row} />
        </span>
      </p>
      <p className="truncate pt-1 text-muted text-xs" title={detail}>
        {row.endedAt === undefined ? (
          <>
            {STATES[state]}: <VisibleText text={detail} />
          </>
        ) : (
          <VisibleText text={row.summary ?? detail} />
        )}
      </p>
      <p className="flex flex-wrap gap-1 pt-1.5">
        <Badge tone="muted">
          <Elapsed from={row.createdAt} to={row.endedAt} />
        </Badge>
        <Badge tone="muted">{plural(row.turns, "turn")}</Badge>
        <Badge tone="muted">{plural(events.length, "event")}</Badge>
        {children.length > 0 && <Badge tone="child">{plural(children.length, "subagent")}</Badge>}
      </p>
    </li>
  );
}

export function RunHistory({ agent }: { agent: string }) {
  const runs = useInfiniteQuery(runsQuery({ agent, limit: 10 }));
  const shown = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <section aria-label={`Earlier runs of ${agent}`}>
      <h2 className="pb-1 font-medium text-muted text-xs">Runs of {agent}</h2>
      <ul className="space-y-0.5">
        {shown.map((run) => (
          <li key={run.id}>
            <Link
              to="/r/$runId"
              params={{ runId: run.id }}
              className="flex items-center gap-2 rounded px-1.5 py-1 text-xs hover:bg-raised"
            >
              <StatusBadge run={run} />
              <VisibleText text={run.task} className="min-w-0 flex-1 truncate" />
              <span className="text-muted">
                <When ts={run.createdAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
