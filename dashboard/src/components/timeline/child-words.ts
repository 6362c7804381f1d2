// What the badge of a child says in its parent's timeline (S0-76, S0-77): that it was delegated to, or the part that a
// pattern has given it.

import type { Trigger } from "../../../../src/journal/events.ts";
import { patternRole } from "../../../../src/projections/words/pattern-role.ts";

export interface ChildWords {
  /** Before the agent's name, when it starts. */
  start: string;
  /** What is complete, or failed, when it ends. */
  what: string;
}

export function childWords(trigger: Trigger, parentKey: string): ChildWords {
  const part = (patternRole({ trigger, parentKey }) ?? "").toUpperCase();
  switch (trigger) {
    case "handoff":
      return { start: "HANDED TO", what: "HANDOFF" };
    case "route":
      return part === "FALLBACK"
        ? { start: "FALLBACK TO", what: "FALLBACK" }
        : { start: "ROUTED TO", what: "ROUTE" };
    case "advisor":
      return { start: "ADVICE OF", what: "ADVICE" };
    case "team":
      return { start: `MEMBER OF ${part}`, what: `MEMBER OF ${part}` };
    case "best_of":
      return { start: part, what: part };
    default:
      return { start: "DELEGATING", what: "DELEGATION" };
  }
}
