// All patterns, in the order in which a run asks them.
// The handoff is first in this list. After it has taken over, no other pattern is asked.
// A new pattern needs a declaration in this folder, its decisions in `src/patterns/`, and a line here.

import { advisors } from "./advisors.ts";
import { bestOf } from "./best-of.ts";
import { handoff } from "./handoff.ts";
import { router } from "./router.ts";
import { steps } from "./steps.ts";
import { team } from "./team.ts";

export const DECLARATIONS = [handoff, router, advisors, team, bestOf, steps] as const;
