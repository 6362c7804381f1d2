// An agent whose work a program does: what only a model of ours could do for it is said, and not silently left out.

import { type Check, error, warning } from "./check.ts";

export const programs: Check = ({ definition }) => {
  const { runner, agents, output } = definition;
  if (!runner) return [];
  const delegates = "`agents` has no effect: the program of its `runner` delegates to nobody here";
  const data = "`runner` and `output` do not go together: a program answers in words, not in data";
  return [
    ...(agents.length > 0 ? [warning("agents", "NO_EFFECT", delegates)] : []),
    ...(output === undefined ? [] : [error("output", "INCOMPATIBLE", data)]),
  ];
};
