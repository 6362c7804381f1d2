// The role of a run in the pattern that started it, shown beside its agent's name in a tree.

import type { Trigger } from "../../journal/events.ts";
import { triggerOf } from "../../patterns/declarations/facts.ts";

/** The run's role. Undefined if no pattern started the run. */
export const patternRole = ({
  trigger,
  parentKey = "",
}: {
  trigger: Trigger;
  parentKey?: string | undefined;
}): string | undefined => triggerOf(trigger)?.part(parentKey);
