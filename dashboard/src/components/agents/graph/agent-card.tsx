// An agent as a card in the graph: name, badges, model, and how its latest runs ended.

import { Link } from "@tanstack/react-router";
import type { Activity, AgentView } from "../../../../../src/api/client/types.ts";
import { plural } from "../../../../../src/projections/words/format.ts";
import { AgentName, RoleIcon } from "../../../display/agent/agent.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { AgentBadges } from "../agent-badges.tsx";

export interface AgentCardProps {
  agent: AgentView;
  tally: Activity["agents"][number] | undefined;
  dimmed: boolean;
  onFocus(): void;
}

export function AgentCard({ agent, tally, dimmed, onFocus }: AgentCardProps) {
  return (
    <Link
      to="/agents/$name"
      params={{ name: agent.name }}
      onFocus={onFocus}
      className={classNames(
        "flex h-full w-full flex-col justify-center gap-1 rounded-lg border bg-surface px-3 py-2 text-left shadow-sm hover:border-accent",
        agent.kind === undefined ? "border-bad border-dashed" : "border-line",
        dimmed && "opacity-35",
      )}
    >
      <span className="flex items-center gap-1.5">
        <RoleIcon agent={agent.name} />
        <span className="truncate font-semibold text-sm" title={agent.name}>
          <AgentName agent={agent.name} full />
        </span>
      </span>
      <span className="flex items-center gap-1 overflow-hidden">
        <AgentBadges agent={agent} />
      </span>
      <span className="flex justify-between gap-2 text-2xs text-muted">
        <span className="truncate">
          <VisibleText text={agent.models[0] ?? agent.file} />
        </span>
        <span className="shrink-0 tabular-nums">{tally ? formatTally(tally) : ""}</span>
      </span>
    </Link>
  );
}

/** `12 runs, 92 %` */
export function formatTally({ runs, successRate }: Activity["agents"][number]): string {
  return `${plural(runs, "run")}${successRate === null ? "" : `, ${Math.round(successRate * 100)} %`}`;
}
