// The same as the picture, in rows: who it is, whom it can start, what it runs on, how its runs went.

import { Link } from "@tanstack/react-router";
import type { Activity, AgentView } from "../../../../src/api/schema.ts";
import { RoleIcon } from "../../display/role-icon.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { When } from "../../display/when.tsx";
import { AgentBadges } from "./agent-badges.tsx";
import { runsWords } from "./agent-card.tsx";
import { EDGE_LOOKS, kindOf } from "./edge-looks.ts";

export interface AgentsTableProps {
  agents: readonly AgentView[];
  tallies: ReadonlyMap<string, Activity["agents"][number]>;
}

export function AgentsTable({ agents, tallies }: AgentsTableProps) {
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <table className="w-full border-collapse text-sm">
        <thead className="sr-only md:not-sr-only">
          <tr className="sticky top-0 z-10 bg-canvas text-left text-2xs text-muted uppercase tracking-wide">
            <th className="px-4 py-2 font-medium">Agent</th>
            <th className="px-3 py-2 font-medium">Can start</th>
            <th className="px-3 py-2 font-medium">Model</th>
            <th className="px-3 py-2 font-medium">Latest runs</th>
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <Row key={agent.name} agent={agent} tally={tallies.get(agent.name)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ agent, tally }: { agent: AgentView; tally: Activity["agents"][number] | undefined }) {
  return (
    <tr className="flex flex-col gap-1 border-line border-b px-4 py-2 align-top hover:bg-raised md:table-row md:p-0">
      <td className="md:px-4 md:py-2">
        <div className="flex flex-wrap items-center gap-x-2">
          <Link
            to="/agents/$name"
            params={{ name: agent.name }}
            className="inline-flex min-h-10 items-center gap-1.5 font-semibold hover:text-accent md:min-h-0"
          >
            <RoleIcon agent={agent.name} />
            <VisibleText text={agent.name} />
          </Link>
          <span className="inline-flex flex-wrap items-center gap-1">
            <AgentBadges agent={agent} full />
          </span>
        </div>
        <p className="max-w-xl text-muted text-xs">
          <VisibleText text={agent.description || agent.file} />
        </p>
      </td>
      <td className="md:px-3 md:py-2">
        <CanStart agent={agent} />
      </td>
      <td className="whitespace-nowrap text-muted text-xs md:px-3 md:py-2.5">
        <VisibleText text={agent.models.join(", then ") || "none"} />
      </td>
      <td className="whitespace-nowrap text-xs tabular-nums md:px-3 md:py-2.5">
        {tally ? (
          <>
            {runsWords(tally)}
            <span className="text-muted md:block">
              <span className="md:hidden"> · </span>
              <When ts={tally.lastAt} />
            </span>
          </>
        ) : (
          <span className="text-muted">No runs yet</span>
        )}
      </td>
    </tr>
  );
}

function CanStart({ agent }: { agent: AgentView }) {
  if (agent.edges.length === 0) return <span className="hidden text-muted text-xs md:inline">nobody</span>;
  const byKind = [...Map.groupBy(agent.edges, ({ key }) => kindOf(agent, key))];
  return (
    <ul className="text-xs">
      {byKind.map(([kind, edges]) => (
        <li key={kind}>
          <span className="text-muted">{EDGE_LOOKS[kind].word}</span>{" "}
          {edges.map(({ to }, index) => (
            <span key={to}>
              {index > 0 && ", "}
              <Link to="/agents/$name" params={{ name: to }} className="hover:text-accent hover:underline">
                <VisibleText text={to} />
              </Link>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}
