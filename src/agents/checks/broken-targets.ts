// An agent whose pattern names a broken agent is broken too, and so are the agents that need it.
// An agent that may only delegate to a broken agent works without it.

import { errorAt, type Finding, warningAt } from "../../patterns/declarations/finding.ts";
import type { Agent } from "../agent.ts";
import { edgesOf } from "../explain/edges.ts";
import type { CheckedAgent } from "./check.ts";

/** One round of the search: the agents that name a broken agent now. Empty when no more agents are affected. */
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
