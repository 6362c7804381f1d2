// All patterns. Whoever took the work over last is asked first: a run that has handed off does nothing else.

import type { Definition } from "../journal/definition.ts";
import { advisors } from "./advisors.ts";
import { bestOf } from "./best-of.ts";
import { handoff } from "./handoff.ts";
import type { Pattern } from "./pattern.ts";
import { router } from "./router.ts";
import { steps } from "./steps.ts";
import { team } from "./team.ts";

export const PATTERNS: readonly Pattern[] = [handoff, router, advisors, team, bestOf, steps];

/** Those that an agent's file asks for. */
export const patternsOf = (definition: Definition): Pattern[] =>
  PATTERNS.filter(({ key }) => definition[key] !== undefined);
