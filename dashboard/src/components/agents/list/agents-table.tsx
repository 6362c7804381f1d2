// The table of agents. Each row shows an agent's name, the agents it can start, its model, and how its latest runs ended.

import { Link } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import type { Activity, AgentView } from "../../../../../src/api/client/types.ts";
import { AgentLink, AgentName, RoleIcon } from "../../../display/agent/agent.tsx";
import { Command } from "../../../display/command/command.tsx";
import { When } from "../../../display/time/times.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { AgentBadges, formatTally } from "../agent-badges.tsx";
import { EDGE_LOOKS, edgeKind } from "../edge-looks.ts";

export interface AgentsTableProps {
  agents: readonly AgentView[];
  tallies: ReadonlyMap<string, Activity["agents"][number]>;
}

export function AgentsTable({ agents, tallies }: AgentsTableProps) {
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <table className="w-full border-collapse text-sm">
        <thead className="hidden md:table-header-group">
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

type Tally = Activity["agents"][number];

/** On a phone the first cell shows all data of the row, so the same table works on every screen. */
function Row({ agent, tally }: { agent: AgentView; tally: Tally | undefined }) {
  return (
    <tr className="border-line border-b align-top hover:bg-raised">
      <td className="px-4 py-2">
        <div className="flex flex-wrap items-center gap-x-2">
          <Link
            to="/agents/$name"
            params={{ name: agent.name }}
            className="inline-flex min-h-10 items-center gap-1.5 font-semibold hover:text-accent md:min-h-0"
          >
            <RoleIcon agent={agent.name} />
            <AgentName agent={agent.name} full />
          </Link>
          <span className="inline-flex flex-wrap items-center gap-1">
            <AgentBadges agent={agent} full />
          </span>
        </div>
        <p className="max-w-xl text-muted text-xs">
          <VisibleText text={agent.description || agent.file} />
        </p>
        <div className="mt-1 flex flex-col gap-0.5 md:hidden">
          <CanStart agent={agent} />
          <p className="flex flex-wrap gap-x-3 text-muted text-xs">
            <VisibleText text={agent.models[0] ?? "no model"} />
            <Runs tally={tally} />
          </p>
        </div>
      </td>
      <td className="hidden px-3 py-2 md:table-cell">
        <CanStart agent={agent} />
      </td>
      <td className="hidden whitespace-nowrap px-3 py-2.5 text-muted text-xs md:table-cell">
        <VisibleText text={agent.models.join(", then ") || "none"} />
      </td>
      <td className="hidden whitespace-nowrap px-3 py-2.5 text-xs md:table-cell">
        <Runs tally={tally} />
      </td>
    </tr>
  );
}

function Runs({ tally }: { tally: Tally | undefined }) {
  if (!tally) return <span className="text-muted">No runs yet</span>;
  return (
    <span className="tabular-nums">
      {formatTally(tally)}
      <span className="text-muted">
        {" · "}
        <When ts={tally.lastAt} />
      </span>
    </span>
  );
}

function CanStart({ agent }: { agent: AgentView }) {
  if (agent.edges.length === 0) return <span className="text-muted text-xs">starts no other agents</span>;
  const byKind = [...Map.groupBy(agent.edges, ({ key }) => edgeKind(agent, key))];
  return (
    <ul className="text-xs">
      {byKind.map(([kind, edges]) => (
        <li key={kind}>
          <span className="text-muted">{EDGE_LOOKS[kind].word}</span>{" "}
          {edges.map(({ to }, index) => (
            <span key={to}>
              {index > 0 && ", "}
              <AgentLink name={to} />
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** U46: shown while the project has no agents of its own. The text names the command that creates the first agents. */
export function NoAgents() {
  return (
    <EmptyState icon={<Bot size={28} aria-hidden />} title="No agents of your own yet">
      <p>
        An agent is a Markdown file in the <code>agents</code> folder. This command adds a team of six that
        you can change:
      </p>
      <Command words="init --pack team" />
      <p>
        You can also run the agents that come with Cadre:{" "}
        <Link to="/agents" search={{ scope: "all" }} className="text-accent underline">
          show them
        </Link>
      </p>
    </EmptyState>
  );
}
