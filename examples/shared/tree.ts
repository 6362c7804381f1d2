// Prints a tree of runs: which agent started each run and why, how the run ended, and its time and cost.

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
    ...spent(node.usage),
  ]);
  return table([...rows, ["together", "", "", duration(timeOf(top)), ...spent(top.treeUsage)]]);
}

/** P3: if a crash interrupted model calls, the tree shows them, because they might have cost money. */
function spent(usage: RunTree["usage"]): string[] {
  const { modelCalls, wastedCalls } = usage;
  const inVain = wastedCalls > 0 ? `${plural(wastedCalls, "model call")} in vain` : "";
  return [plural(modelCalls, "model call"), describeTokens(usage), describeCost(usage), inVain];
}

/** Time from the start to the end of a run, including the time that children and people took. */
const timeOf = ({ createdAt, endedAt, updatedAt }: RunTree): number => (endedAt ?? updatedAt) - createdAt;
