// The badge of a child run in its parent's timeline (S0-76, S0-77): a delegation, or the child's part in a pattern.

import type { Trigger } from "../../../../src/journal/events.ts";
import { triggerOf } from "../../../../src/patterns/declarations/facts.ts";

export interface ChildWords {
  /** Before the agent's name, when the child starts. */
  start: string;
  /** The noun that is complete or failed when the child ends. */
  what: string;
}

export const childWords = (trigger: Trigger, parentKey: string): ChildWords =>
  triggerOf(trigger)?.badge(parentKey) ?? { start: "DELEGATING", what: "DELEGATION" };
