// S1-62, S1-63: an agent's kind, permissions and problems as badges. Each badge has a word as well as an icon.

import { CircleCheckBig, Eye, FileCog, OctagonX, Package, TriangleAlert } from "lucide-react";
import type { ComponentProps } from "react";
import type { Activity, AgentView } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import { Badge } from "../../ui/badge.tsx";

export function AgentBadges({ agent, full = false }: { agent: AgentView; full?: boolean }) {
  const errors = agent.problems.filter(({ severity }) => severity === "error").length;
  const warnings = agent.problems.length - errors;
  const problems = [errors > 0 && plural(errors, "error"), warnings > 0 && plural(warnings, "warning")];
  return (
    <>
      {agent.kind === undefined ? (
        <Mark tone="bad" icon={OctagonX} title="The agent's file cannot be used. See the problems">
          broken
        </Mark>
      ) : (
        <Badge tone={agent.kind === "main" ? "accent" : "child"}>{agent.kind}</Badge>
      )}
      {agent.isTerminal && full && (
        <Mark tone="muted" icon={CircleCheckBig} title="The user reads this agent's own words as the answer">
          answers
        </Mark>
      )}
      {agent.readOnly && agent.kind !== undefined && (
        <Mark tone="good" icon={Eye} title="None of this agent's tools can change anything">
          read-only
        </Mark>
      )}
      {agent.steps && (
        <Mark tone="info" icon={FileCog} title="A module next to its file controls it">
          steps
        </Mark>
      )}
      {agent.scope === "builtin" && full && (
        <Mark tone="muted" icon={Package} title="Comes with Cadre">
          built in
        </Mark>
      )}
      {agent.kind !== undefined && agent.problems.length > 0 && (
        <Mark
          tone={errors > 0 ? "bad" : "warn"}
          icon={TriangleAlert}
          title="The agent's file has errors or warnings"
        >
          {full ? problems.filter(Boolean).join(", ") : agent.problems.length}
          {!full && <span className="sr-only"> problems</span>}
        </Mark>
      )}
    </>
  );
}

interface MarkProps extends Required<ComponentProps<typeof Badge>> {
  icon: typeof Eye;
}

const Mark = ({ icon: Icon, children, ...badge }: MarkProps) => (
  <Badge {...badge}>
    <Icon size={11} aria-hidden />
    {children}
  </Badge>
);

/** Summarises an agent's latest runs by their number and success rate, for example `12 runs, 92 %`. */
export function formatTally({ runs, successRate }: Activity["agents"][number]): string {
  return `${plural(runs, "run")}${successRate === null ? "" : `, ${Math.round(successRate * 100)} %`}`;
}
