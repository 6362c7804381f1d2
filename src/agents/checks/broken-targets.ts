// If a pattern of an agent names a broken agent, the agent is broken too. The same applies to the agents that depend on it.
// If an agent only delegates to a broken agent, it is not broken: it works without this delegate.

import { errorAt, type Finding, warningAt } from "../../patterns/declarations/finding.ts";
import type { Agent } from "../agent.ts";
import { edgesOf } from "../explain/edges.ts";
import type { CheckedAgent } from "./check.ts";

/** Does one round of the search: finds the agents that name a broken agent. The result is empty when the search is complete. */
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
