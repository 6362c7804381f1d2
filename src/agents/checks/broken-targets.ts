// An agent is broken if one of its patterns names a broken agent. The check is repeated until it finds no more broken agents.
// An agent that only delegates to a broken agent is not broken, because it works without this delegate.

import { errorAt, type Finding, warningAt } from "../../patterns/declarations/finding.ts";
import type { Agent } from "../agent.ts";
import { edgesOf } from "../explain/edges.ts";
import type { CheckedAgent } from "./check.ts";

/** Does one round of the check: finds the agents that name a broken agent. If the result is empty, no further round is needed. */
export function findBrokenTargets(
  agents: ReadonlyMap<string, Agent>,
): { agent: CheckedAgent; findings: Finding[] }[] {
  return [...agents.values()].flatMap((agent) => {
    if (!agent.definition) return [];
    const findings = edgesOf(agent.definition).flatMap(({ key, to }) => {
      const target = agents.get(to);
      if (!target || target.definition) return [];
      const where = target.problems.find(({ severity }) => severity === "error");
      const place = where ? `${where.file}:${where.line}:${where.column}` : target.file;
      const message = `\`${key}\` names \`${to}\`, which cannot be used`;
      const more = { names: to, suggestion: `mend ${place}` };
      return key === "agents"
        ? [warningAt(key, "BROKEN_TARGET", `${message} and is left out`, { ...more, drop: true })]
        : [errorAt(key, "BROKEN_TARGET", message, more)];
    });
    return findings.length > 0 ? [{ agent: agent as CheckedAgent, findings }] : [];
  });
}
