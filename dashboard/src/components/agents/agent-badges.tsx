// What one should know of an agent before its name is read (S1-62, S1-63): each a word and a mark.

import { CircleCheckBig, Eye, FileCog, OctagonX, Package, TriangleAlert } from "lucide-react";
import type { AgentView } from "../../../../src/api/client/types.ts";
import { plural } from "../../display/words.ts";
import { Badge } from "../../ui/badge.tsx";

export function AgentBadges({ agent, full = false }: { agent: AgentView; full?: boolean }) {
  const errors = agent.problems.filter(({ severity }) => severity === "error").length;
  const warnings = agent.problems.length - errors;
  return (
    <>
      {agent.kind === undefined && (
        <Badge tone="bad" title="Its file cannot be used: see its problems">
          <OctagonX size={11} aria-hidden />
          broken
        </Badge>
      )}
      {agent.kind !== undefined && (
        <Badge tone={agent.kind === "main" ? "accent" : "child"}>{agent.kind}</Badge>
      )}
      {agent.isTerminal && full && (
        <Badge tone="muted" title="Its own words are the answer">
          <CircleCheckBig size={11} aria-hidden />
          answers
        </Badge>
      )}
      {agent.readOnly && agent.kind !== undefined && (
        <Badge tone="good" title="The tools that it may call change nothing">
          <Eye size={11} aria-hidden />
          read-only
        </Badge>
      )}
      {agent.steps && (
        <Badge tone="info" title="A module beside its file controls it">
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
        <Badge tone={errors > 0 ? "bad" : "warn"} title="Something in its file is wrong or worth knowing">
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
