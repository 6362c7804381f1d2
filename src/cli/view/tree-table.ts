// A table of a tree: status, time and usage of each run, and the usage including its descendants.

import type { RunTree } from "../../api/client/types.ts";
import { totalTokens } from "../../projections/usage/run-usage.ts";
import { duration, shortCost, shortCount } from "../../projections/words/format.ts";
import { patternRole } from "../../projections/words/pattern-role.ts";
import { type ShownStatus, shownStatus } from "../../projections/words/statuses.ts";
import { type Paint, truncate, visibleWidth } from "./screen.ts";
import { statusWord } from "./summary.ts";
import { branches } from "./text/branches.ts";
import { plainLine } from "./text/plain.ts";
import { table } from "./text/table.ts";

export interface TreeTable {
  now: number;
  paint: Paint;
  statuses: ReadonlyMap<string, ShownStatus>;
  /** Width of the terminal; undefined: unlimited. */
  width: number | undefined;
}

export function treeTable(top: RunTree, { now, paint, statuses, width }: TreeTable): string[] {
  const drawn = branches(top);
  const head = ["", "time", "active", "tokens", "cost", "with all below"].map((word) => paint("dim", word));
  const rows = drawn.map(({ node, branch }) => [
    `${paint("dim", branch)}${paint("bold", plainLine(node.agent))}${paint("dim", partIn(node))}`,
    ...factsOf(node, now),
  ]);
  const [first, ...lines] = table([head, ...rows]);
  return [
    first!,
    ...drawn.flatMap(({ node, below }, index) => {
      const status = statusWord(statuses.get(node.id) ?? shownStatus(node), paint);
      const words = plainLine(node.summary ?? node.task);
      const room =
        width === undefined ? 200 : width - below.length - visibleWidth(status) - node.id.length - 7;
      return [
        lines[index]!,
        `${paint("dim", below)}${status}${paint("dim", ` · ${node.id} · ${truncate(words, Math.max(10, room))}`)}`,
      ];
    }),
  ];
}

function partIn(node: RunTree): string {
  const part = patternRole(node);
  return part === undefined ? "" : ` (${part})`;
}

function factsOf({ usage, treeUsage, children, createdAt, endedAt }: RunTree, now: number): string[] {
  const sum = children.length === 0 ? "" : `${shortCount(totalTokens(treeUsage))} · ${shortCost(treeUsage)}`;
  return [
    duration((endedAt ?? now) - createdAt),
    duration(usage.activeMs),
    shortCount(totalTokens(usage)),
    shortCost(usage),
    sum,
  ];
}
