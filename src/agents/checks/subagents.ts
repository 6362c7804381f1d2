// A subagent never starts other agents (S4-15, S4-16).

import { patternsIn } from "../../patterns/declarations/facts.ts";
import { errorAt, warningAt } from "../../patterns/declarations/finding.ts";
import type { Check } from "./check.ts";

export const checkSubagents: Check = ({ definition }) => {
  if (definition.kind !== "subagent") return [];
  const suggestion = "make it `kind: main`";
  return [
    ...patternsIn(definition)
      .filter(({ pattern }) => pattern.trigger)
      .map(({ pattern: { key } }) =>
        errorAt(key, "SUBAGENT_PATTERN", `a subagent has no \`${key}\``, { suggestion }),
      ),
    ...definition.agents.map((name) =>
      warningAt("agents", "SUBAGENT_DELEGATES", `a subagent never delegates, so \`${name}\` is left out`, {
        names: name,
        drop: true,
        suggestion,
      }),
    ),
  ];
};
