// Prints a tree of runs: the agent and the trigger of each run, how the run ended, and its time and cost.

import type { RunTree } from "../../src/api/client/types.ts";
import { branches } from "../../src/cli/view/text/branches.ts";
import { table } from "../../src/cli/view/text/table.ts";
import { baseName } from "../../src/journal/agent-id.ts";
import { describeCost, describeTokens, duration, plural } from "../../src/projections/words/format.ts";

type NameOf = (run: RunTree) => string;

export function treeLines(top: RunTree, nameOf: NameOf = ({ agent }) => baseName(agent)): string[] {
  const rows = branches(top).map(({ node, branch }) => [
    `${branch}${nameOf(node)}`,
    node.trigger,
    node.status,
    duration(timeOf(node)),
    ...usageColumns(node.usage),
  ]);
  return table([...rows, ["together", "", "", duration(timeOf(top)), ...usageColumns(top.treeUsage)]]);
}

/** P3: the tree also shows model calls that a crash interrupted, because they might have cost money. */
function usageColumns(usage: RunTree["usage"]): string[] {
  const { modelCalls, wastedCalls } = usage;
  const inVain = wastedCalls > 0 ? `${plural(wastedCalls, "model call")} in vain` : "";
  return [plural(modelCalls, "model call"), describeTokens(usage), describeCost(usage), inVain];
}

/** Time from the start to the end of a run, including the time that children and people took. */
const timeOf = ({ createdAt, endedAt, updatedAt }: RunTree): number => (endedAt ?? updatedAt) - createdAt;
