// Which patterns go together. A run is composed as advisors → (its own turns | steps | team | bestOf | runner) → router →
// handoff: one thing at most does the work in the middle, and whoever owns the answer gives it to nobody else (S3-61).

import type { Definition } from "../../journal/definition.ts";
import { type Check, errorAt, warningAt } from "./check.ts";

type Part = "handoff" | "router" | "advisors" | "team" | "bestOf" | "steps" | "runner";

const ROUTES = "a router only chooses who does the work";
const ONE_WAY = "only one of them can do the agent's work";

/** Every pair that cannot work; what stands here in neither order is fine. The problem is shown at the second. */
const EXCLUSIVE: readonly (readonly [Part, Part, string])[] = [
  ["router", "team", ROUTES],
  ["router", "bestOf", ROUTES],
  ["router", "steps", ROUTES],
  ["router", "runner", ROUTES],
  ["team", "bestOf", ONE_WAY],
  ["team", "steps", ONE_WAY],
  ["team", "runner", ONE_WAY],
  ["bestOf", "steps", ONE_WAY],
  ["bestOf", "runner", ONE_WAY],
  ["steps", "runner", ONE_WAY],
  ["team", "handoff", "a team's coordinator owns the final answer (S3-48)"],
];

export const checkCombinations: Check = ({ definition }) => {
  const has = (part: Part): boolean => definition[part] !== undefined;
  const clashes = EXCLUSIVE.filter(([one, other]) => has(one) && has(other)).map(([one, other, why]) =>
    errorAt(other, "INCOMPATIBLE", `\`${one}\` and \`${other}\` do not go together: ${why}`),
  );
  return [...clashes, ...withoutFinalize(definition), ...beyondPrograms(definition)];
};

/** Without `Finalize` its own words are never the answer: somebody else's must be there. */
function withoutFinalize(definition: Definition) {
  if (definition.finalizes !== false) return [];
  const { agents, handoff, router, team, bestOf, steps } = definition;
  if (team) {
    const message = "a team's coordinator gives the answer itself, and its `policy` has no `Finalize`";
    return [errorAt("policy", "NO_ANSWER", message, { suggestion: "add `Finalize`, or take `team` away" })];
  }
  if (agents.length === 0 && !handoff && !router && !bestOf && !steps) {
    const message = "its `policy` has no `Finalize`, and there is nobody whose answer it could return";
    const suggestion = "add `Finalize`, `agents`, `handoff` or `router`";
    return [errorAt("policy", "NO_ANSWER", message, { suggestion })];
  }
  if (!router?.allowAnswer) return [];
  return [
    warningAt("router", "ANSWER_WITHHELD", "`allowAnswer` has no effect: its `policy` has no `Finalize`"),
  ];
}

/** What only a model of ours could do is said, and not silently left out. */
function beyondPrograms({ runner, agents, output }: Definition) {
  if (!runner) return [];
  const delegates = "`agents` has no effect: the program of its `runner` delegates to nobody here";
  const data = "`runner` and `output` do not go together: a program answers in words, not in data";
  return [
    ...(agents.length > 0 ? [warningAt("agents", "NO_EFFECT", delegates)] : []),
    ...(output === undefined ? [] : [errorAt("output", "INCOMPATIBLE", data)]),
  ];
}
