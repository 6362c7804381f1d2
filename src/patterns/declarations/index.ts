// All patterns, in the order in which a run asks them.
// A handoff is the last thing a run does, so its pattern is first in this list: once it takes over, no other pattern gets a turn.
// To add a pattern, write its declaration in this folder, its decisions in `src/patterns/`, and a line here.

import { advisors } from "./advisors.ts";
import { bestOf } from "./best-of.ts";
import { handoff } from "./handoff.ts";
import { router } from "./router.ts";
import { steps } from "./steps.ts";
import { team } from "./team.ts";

export const DECLARATIONS = [handoff, router, advisors, team, bestOf, steps] as const;
