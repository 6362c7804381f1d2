// If a pattern of agent A names a broken agent, A is broken too. Agents whose patterns name A are then also broken.
// If agent A only delegates to a broken agent, A is not broken: A works without this delegate.

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
