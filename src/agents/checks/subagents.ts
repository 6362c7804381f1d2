// Whatever else its file says, a subagent is a leaf (S4-15, S4-16).

import { type Check, errorAt, warningAt } from "./check.ts";

const PATTERNS = ["handoff", "router", "advisors", "team", "bestOf"] as const;

export const checkSubagents: Check = ({ definition }) => {
  if (definition.kind !== "subagent") return [];
  const suggestion = "make it `kind: main`";
  return [
    ...PATTERNS.filter((key) => definition[key] !== undefined).map((key) =>
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
