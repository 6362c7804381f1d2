// Reports patterns that cannot be combined. A run has four stages: before, work, route and after.
// At most one pattern does the work. If a pattern gives the final answer itself, the agent cannot also have a handoff (S3-61).

import type { Definition } from "../../journal/definition.ts";
import type { Stage } from "../../patterns/declarations/declaration.ts";
import { ALL_PATTERNS, patternsIn } from "../../patterns/declarations/facts.ts";
import { errorAt, type Finding, warningAt } from "../../patterns/declarations/finding.ts";
import type { Check } from "./check.ts";

const ROUTES = "a router only chooses who does the work";
const ONE_WAY = "only one of them can do the agent's work";

const keysOf = (stage: Stage): string[] =>
  ALL_PATTERNS.filter((pattern) => pattern.stage === stage).map(({ key }) => key);

/** An external program (`runner`) also does the agent's work, although it is not a pattern. */
const WORKING = [...keysOf("work"), "runner"];

/** All pairs of keys that cannot be combined. The problem is reported at the second key of the pair. */
const EXCLUSIVE: readonly (readonly [string, string, string])[] = [
  ...keysOf("route").flatMap((route) => WORKING.map((work) => [route, work, ROUTES] as const)),
  ...WORKING.flatMap((one, index) => WORKING.slice(index + 1).map((other) => [one, other, ONE_WAY] as const)),
  ...ALL_PATTERNS.flatMap(({ key, excludes = {} }) =>
    Object.entries(excludes).map(([other, why]) => [key, other, why] as const),
  ),
];

export const checkCombinations: Check = ({ definition }) => {
  const has = (key: string): boolean => definition[key as keyof Definition] !== undefined;
  const clashes = EXCLUSIVE.filter(([one, other]) => has(one) && has(other)).map(([one, other, why]) =>
    errorAt(other, "INCOMPATIBLE", `\`${one}\` and \`${other}\` do not go together: ${why}`),
  );
  return [...clashes, ...checkAnswer(definition), ...checkRunner(definition)];
};

/** An agent without `Finalize` never gives the answer itself, so another agent or a pattern must give it. */
function checkAnswer(definition: Definition): Finding[] {
  const isAnswered = patternsIn(definition).some(
    ({ pattern }) => pattern.stage === "work" || pattern.answer === "target",
  );
  if (definition.finalizes !== false || definition.agents.length > 0 || isAnswered) return [];
  const message = "its `policy` has no `Finalize`, and there is no other agent whose answer it could return";
  const suggestion = "add `Finalize`, `agents`, `handoff` or `router`";
  return [errorAt("policy", "NO_ANSWER", message, { suggestion })];
}

/** Reports keys that have no effect on an external program. */
function checkRunner({ runner, agents, output }: Definition): Finding[] {
  if (!runner) return [];
  const delegates = "`agents` has no effect: the program of its `runner` cannot delegate here";
  const data = "`runner` and `output` do not go together: a program answers in words, not in data";
  return [
    ...(agents.length > 0 ? [warningAt("agents", "NO_EFFECT", delegates)] : []),
    ...(output === undefined ? [] : [errorAt("output", "INCOMPATIBLE", data)]),
  ];
}
