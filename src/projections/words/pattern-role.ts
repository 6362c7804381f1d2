// The part that a run has in the pattern that started it, in words: what a tree shows beside its agent's name.

import type { Trigger } from "../../journal/events.ts";

/** Undefined: nobody's pattern has started it. */
export function patternRole({
  trigger,
  parentKey = "",
}: {
  trigger: Trigger;
  parentKey?: string | undefined;
}): string | undefined {
  switch (trigger) {
    case "handoff":
      return "handoff";
    case "route":
      return parentKey === "fallback" ? "fallback" : "routed";
    case "advisor":
      return "advisor";
    case "team":
      return `round ${parentKey.split("/")[1] ?? "?"}`;
    case "best_of":
      return parentKey.replace("/", " ");
    default:
      return undefined;
  }
}
