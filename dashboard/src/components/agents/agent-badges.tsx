// S1-62, S1-63: an agent's kind, permissions and problems as badges. Each badge has a word as well as an icon.

import { CircleCheckBig, Eye, FileCog, OctagonX, Package, TriangleAlert } from "lucide-react";
import type { Activity, AgentView } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Badge } from "../../ui/badge.tsx";

export function AgentBadges({ agent, full = false }: { agent: AgentView; full?: boolean }) {
  const errors = agent.problems.filter(({ severity }) => severity === "error").length;
  const warnings = agent.problems.length - errors;
  return (
    <>
      {agent.kind === undefined && (
        <Badge tone="bad" title="Its file cannot be used. See the problems">
          <OctagonX size={11} aria-hidden />
          broken
        </Badge>
      )}
      {agent.kind !== undefined && (
        <Badge tone={agent.kind === "main" ? "accent" : "child"}>{agent.kind}</Badge>
      )}
      {agent.isTerminal && full && (
        <Badge tone="muted" title="The user reads this agent's own words as the answer">
          <CircleCheckBig size={11} aria-hidden />
          answers
        </Badge>
      )}
      {agent.readOnly && agent.kind !== undefined && (
        <Badge tone="good" title="None of its tools can change anything">
          <Eye size={11} aria-hidden />
          read-only
        </Badge>
      )}
      {agent.steps && (
        <Badge tone="info" title="A module next to its file controls it">
          <FileCog size={11} aria-hidden />
          steps
        </Badge>
      )}
      {agent.scope === "builtin" && full && (
        <Badge tone="muted" title="Comes with Cadre">
          <Package size={11} aria-hidden />
          built in
        </Badge>
      )}
      {agent.kind !== undefined && agent.problems.length > 0 && (
        <Badge tone={errors > 0 ? "bad" : "warn"} title="Its file has errors or warnings">
          <TriangleAlert size={11} aria-hidden />
          {full
            ? [errors > 0 && plural(errors, "error"), warnings > 0 && plural(warnings, "warning")]
                .filter(Boolean)
                .join(", ")
            : agent.problems.length}
          {!full && <span className="sr-only"> problems</span>}
        </Badge>
      )}
    </>
  );
}

/** An agent's latest runs in short: `12 runs, 92 %`. */
export function formatTally({ runs, successRate }: Activity["agents"][number]): string {
  return `${plural(runs, "run")}${successRate === null ? "" : `, ${Math.round(successRate * 100)} %`}`;
}
