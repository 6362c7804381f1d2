// Warns about limits that prevent an agent from doing anything. These are not errors, because 0 is a valid limit.

import { warningAt } from "../../patterns/declarations/finding.ts";
import { edgesOf } from "../explain/edges.ts";
import type { Check } from "./check.ts";

export const checkLimits: Check = ({ definition }) => {
  const { limits } = definition;
  const found = (["maxTurns", "maxDuration"] as const)
    .filter((name) => limits[name] === 0)
    .map((name) => warningAt("limits", "LIMIT_ZERO", `\`${name}: 0\` ends every run before its first turn`));
  const edges = edgesOf(definition);
  if (limits.maxDepth === 0 && edges.some(({ key }) => key === "agents"))
    found.push(warningAt("limits", "LIMIT_ZERO", "`maxDepth: 0` prevents all delegation"));
  if (limits.maxChildren === 0 && edges.length > 0)
    found.push(warningAt("limits", "LIMIT_ZERO", "`maxChildren: 0` prevents it from starting any agent"));
  return found;
};
