// How agents work together, as one file says it: every default filled in.

import type { Definition } from "../journal/definition.ts";
import type { ReportProblem } from "./agent.ts";
import type { AgentValues } from "./frontmatter.ts";

type Patterns = Pick<Definition, "handoff" | "router" | "advisors" | "team" | "bestOf">;

export function patternsOf(values: AgentValues, report: ReportProblem): Patterns {
  const { handoff, advisors, team, bestOf } = values;
  const router = routerOf(values, report);
  return {
    ...(handoff === undefined ? {} : { handoff: handoffOf(handoff) }),
    ...(router ? { router } : {}),
    ...(advisors === undefined ? {} : { advisors: advisorsOf(advisors) }),
    ...(team === undefined ? {} : { team: teamOf(team) }),
    ...(bestOf === undefined ? {} : { bestOf: bestOfOf(bestOf) }),
  };
}

function handoffOf(handoff: NonNullable<AgentValues["handoff"]>): Patterns["handoff"] {
  if (typeof handoff === "string") return { agent: handoff, onFailure: "fail" };
  const { agent, onFailure = "fail" } = handoff;
  return { agent, onFailure };
}

function routerOf({ router, agents }: AgentValues, report: ReportProblem): Patterns["router"] {
  if (router === undefined) return undefined;
  if (router !== true) {
    const { destinations, fallback, allowAnswer = false } = router;
    return { destinations, ...(fallback === undefined ? {} : { fallback }), allowAnswer };
  }
  if (agents && agents.length > 0) return { destinations: agents, allowAnswer: false };
  const message = "`router: true` has nobody to choose from";
  const suggestion = "name its destinations in `agents`";
  report("router", { code: "ROUTER_EMPTY", severity: "error", message, suggestion });
  return undefined;
}

function advisorsOf(advisors: NonNullable<AgentValues["advisors"]>): Patterns["advisors"] {
  if (Array.isArray(advisors)) return { agents: advisors, require: "any" };
  const { agents, require = "any", timeout } = advisors;
  return { agents, require, ...(timeout ? { timeout } : {}) };
}

function teamOf(team: NonNullable<AgentValues["team"]>): Patterns["team"] {
  const { members, memberTimeout, quorum } = team;
  return {
    members,
    termination: [team.terminationMode ?? "consensus"].flat(),
    maxRounds: team.maxRounds ?? 10,
    memberMaxTurns: team.memberMaxTurns ?? 5,
    ...(memberTimeout ? { memberTimeout } : {}),
    ...(quorum === undefined ? {} : { quorum }),
  };
}

function bestOfOf(bestOf: NonNullable<AgentValues["bestOf"]>): Patterns["bestOf"] {
  if (typeof bestOf === "number") return { n: bestOf, strategies: [] };
  const { n, judge, strategies = [] } = bestOf;
  return { n, ...(judge === undefined ? {} : { judge }), strategies };
}
