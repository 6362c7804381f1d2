// All patterns. A run asks them in this order: the one that took the work over last comes first, so that a run which
// has handed off does nothing else. To add one: its declaration beside this file, a line here, and its decisions in
// `src/patterns/`.

import { advisors } from "./advisors.ts";
import { bestOf } from "./best-of.ts";
import { handoff } from "./handoff.ts";
import { router } from "./router.ts";
import { steps } from "./steps.ts";
import { team } from "./team.ts";

export const DECLARATIONS = [handoff, router, advisors, team, bestOf, steps] as const;
