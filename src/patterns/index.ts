// The decisions of every declared pattern. If a declared pattern is missing in this list, the code does not compile.

import type { Definition } from "../journal/definition.ts";
import { advisors } from "./advisors.ts";
import { bestOf } from "./best-of.ts";
import { type PatternKey, patternsIn } from "./declarations/facts.ts";
import { handoff } from "./handoff.ts";
import type { Pattern } from "./pattern.ts";
import { router } from "./router.ts";
import { steps } from "./steps.ts";
import { team } from "./team.ts";

export const DECISIONS: Readonly<Record<PatternKey, Pattern>> = {
  handoff,
  router,
  advisors,
  team,
  bestOf,
  steps,
};

/** A definition never changes, and every decision asks for its patterns. */
const known = new WeakMap<Definition, readonly Pattern[]>();

/** The patterns that a definition uses, in the order in which a run asks them. */
export function patternsOf(definition: Definition): readonly Pattern[] {
  const found =
    known.get(definition) ??
    patternsIn(definition).map(({ pattern }) => DECISIONS[pattern.key as PatternKey]);
  known.set(definition, found);
  return found;
}
