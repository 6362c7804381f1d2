// Finds the models without a known price that would run under a limit on cost. Such a limit could not be kept (B5).

import type { AgentLimits, Definition } from "../../journal/definition.ts";
import { allNodes, type ReachParts, reachFrom } from "./reach.ts";

export interface UnpricedModel {
  model: string;
  agent: string;
}

/** Each model is listed once, with the first agent that uses it. `limits` are the limits of the run that is about to start. */
export function unpricedUnderLimit(
  start: Definition,
  { maxCost, tree }: Pick<AgentLimits, "maxCost" | "tree">,
  parts: ReachParts,
): UnpricedModel[] {
  const { root } = reachFrom(start, parts);
  const found = new Map<string, UnpricedModel>();
  for (const node of allNodes(root)) {
    const limit = tree?.maxCost ?? (node === root ? maxCost : node.limits.maxCost);
    // A program needs no price, because it reports its own cost.
    if (limit === undefined || node.definition.runner) continue;
    for (const model of node.models)
      if (!parts.hasPrice(model) && !found.has(model)) found.set(model, { model, agent: node.agent });
  }
  return [...found.values()];
}

/** Says which prices are missing, and what to write into cadre.yaml. */
export function describeUnpriced(unpriced: readonly UnpricedModel[]): string {
  const models = unpriced.map(({ model, agent }) => `${model} (${agent})`).join(", ");
  const [{ model }] = unpriced as [UnpricedModel];
  return `The limit \`maxCost\` cannot be kept: Cadre does not know the price of ${models}. Add the price per million tokens to cadre.yaml, such as \`prices: { ${model}: { input: 3, output: 15 } }\`. Or write \`onUnknownPrice: allow\`: then \`maxCost\` counts only calls with a known price, and \`maxTokens\` still limits all calls.`;
}
