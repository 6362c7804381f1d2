// The tree of runs as people read one: who started whom, and what each took.

import type { RunTree } from "../../src/api/schema.ts";
import { cost, count, duration, tokens } from "../../src/cli/view/format.ts";
import { table } from "../../src/cli/view/table.ts";
import { nameOf } from "./story.ts";

export function treeLines(top: RunTree): string[] {
  const total = ["together", "", duration(timeOf(top)), ...spent(top.treeUsage)];
  return table([...rowsOf(top, "", ""), total]);
}

function rowsOf(run: RunTree, lead: string, below: string): string[][] {
  const { children, usage, status } = run;
  const row = [`${lead}${nameOf(run)}`, status, duration(timeOf(run)), ...spent(usage)];
  const inner = children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return rowsOf(child, `${below}${isLast ? "└─ " : "├─ "}`, `${below}${isLast ? "   " : "│  "}`);
  });
  return [row, ...inner];
}

/** P3: a call that a crash cut off may have been paid for, and is said. */
function spent(usage: RunTree["usage"]): string[] {
  const { wastedCalls } = usage;
  return [tokens(usage), cost(usage), wastedCalls > 0 ? `${count(wastedCalls, "model call")} in vain` : ""];
}

/** From its start to its end, its children's time and a person's included. */
const timeOf = ({ createdAt, endedAt, updatedAt }: RunTree): number => (endedAt ?? updatedAt) - createdAt;
