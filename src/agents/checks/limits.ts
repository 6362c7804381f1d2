// Numbers that contradict each other are errors; numbers that leave nothing to do are warnings, since 0 means zero.

import type { Definition } from "../../journal/definition.ts";
import { edgesOf } from "../explain/edges.ts";
import { type Check, errorAt, type Finding, warningAt } from "./check.ts";

export const checkLimits: Check = ({ definition }) => [...patternNumbers(definition), ...noRoom(definition)];

function patternNumbers({ advisors, team, bestOf }: Definition): Finding[] {
  const found: Finding[] = [];
  const required = advisors?.require;
  if (advisors && typeof required === "number" && required > advisors.agents.length)
    found.push(
      errorAt(
        "advisors",
        "REQUIRE_TOO_HIGH",
        `\`require: ${required}\` can never be met by ${people(advisors.agents.length, "advisor")}`,
      ),
    );
  if (team?.quorum !== undefined && team.quorum > team.members.length)
    found.push(
      errorAt(
        "team",
        "QUORUM_TOO_HIGH",
        `\`quorum: ${team.quorum}\` can never be met by ${people(team.members.length, "member")}`,
      ),
    );
  if (bestOf?.n === 1)
    found.push(
      warningAt("bestOf", "ONE_DRAFT", "the best of one draft is that draft: give `n` of 2 or more"),
    );
  if (bestOf && bestOf.strategies.length > bestOf.n)
    found.push(
      warningAt(
        "bestOf",
        "STRATEGIES_UNUSED",
        `${bestOf.strategies.length} strategies for ${bestOf.n} drafts: the last ones are not used`,
      ),
    );
  return found;
}

function noRoom(definition: Definition): Finding[] {
  const { limits } = definition;
  const found = (["maxTurns", "maxDuration"] as const)
    .filter((name) => limits[name] === 0)
    .map((name) => warningAt("limits", "LIMIT_ZERO", `\`${name}: 0\` ends every run before its first turn`));
  const edges = edgesOf(definition);
  if (limits.maxDepth === 0 && edges.some(({ key }) => key === "agents"))
    found.push(warningAt("limits", "LIMIT_ZERO", "`maxDepth: 0` lets it delegate to nobody"));
  if (limits.maxChildren === 0 && edges.length > 0)
    found.push(warningAt("limits", "LIMIT_ZERO", "`maxChildren: 0` lets it start nobody"));
  return found;
}

const people = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
