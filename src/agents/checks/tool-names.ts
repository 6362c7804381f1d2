// With `delegation.tool: per-agent`, the model gets a separate tool for each delegate.
// If two tools had the same name, the model could not choose between them. This check reports such names.

import { errorAt, type Finding } from "../../patterns/declarations/finding.ts";
import type { Check } from "./check.ts";

/** Length of the longest tool name that model providers accept. */
const LONGEST = 64;

/** Name of the tool that calls one delegate. The delegate's pack is not part of the name. */
const delegationTool = (name: string): string =>
  `run_${name.replace(/^.*\//, "").replaceAll(/[^A-Za-z0-9]+/g, "_")}_agent`;

export const checkToolNames: Check = ({ definition }, { toolNames: known }) => {
  if (definition.delegation?.tool !== "per-agent") return [];
  const told = definition.delegates ?? definition.agents.map((name) => ({ name, agent: name }));
  const others = new Set(known.map((name) => name.toLowerCase()));
  const taken = new Map<string, string>();
  return told.flatMap(({ name, agent }): Finding[] => {
    const tool = delegationTool(name);
    const wrong = (message: string): Finding[] => [
      errorAt("agents", "TOOL_NAME", message, {
        names: agent,
        suggestion: "rename it, or use `delegation: { tool: generic }`",
      }),
    ];
    const other = taken.get(tool.toLowerCase());
    taken.set(tool.toLowerCase(), name);
    if (other !== undefined) return wrong(`\`${other}\` and \`${name}\` would both be the tool \`${tool}\``);
    if (others.has(tool.toLowerCase()))
      return wrong(`\`${name}\` would be the tool \`${tool}\`, which is there already`);
    if (tool.length > LONGEST)
      return wrong(`\`${tool}\` is longer than the ${LONGEST} characters that providers take`);
    return [];
  });
};
