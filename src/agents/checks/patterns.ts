// Runs the checks that a pattern declares, for every agent that uses the pattern.

import { givingAnswerAway, patternsIn } from "../../patterns/declarations/facts.ts";
import type { Check } from "./check.ts";

export const checkPatterns: Check = ({ definition }, { agents }) => {
  const find = (name: string) => agents.get(name)?.definition;
  const keysGivingAnswerAway = (name: string) =>
    givingAnswerAway(find(name) ?? {}).map(({ pattern }) => pattern.key);
  return patternsIn(definition).flatMap(({ pattern, own }) => [
    ...pattern.check(own, definition, { find, keysGivingAnswerAway }),
  ]);
};
