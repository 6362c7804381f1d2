// Lists the paused, frozen and quarantined runs of a tree, with the command that lets each continue. A branch is frozen and
// thawed as a whole.

import type { RunTree } from "../../api/client/types.ts";
import { describeWait } from "../../projections/words/waits.ts";
import type { CommandLine } from "../command-line.ts";
import { allNodes } from "./text/branches.ts";

export function pausedLines(tree: RunTree, commandLine: CommandLine): string[] {
  const lines = new Map<string, string>();
  for (const { id, endedAt, waitingOn } of allNodes(tree)) {
    if (endedAt !== undefined || !waitingOn || !HELD.has(waitingOn.kind)) continue;
    const [top] = waitingOn.frozen ?? [];
    const command = top === undefined ? `resume ${id}` : `thaw ${top}`;
    lines.set(command, `held: ${describeWait(waitingOn).reason}\n  ${commandLine(command)}`);
  }
  return [...lines.values()].flatMap((line) => ["", line]);
}

const HELD: ReadonlySet<string> = new Set(["paused", "quarantine", "definition_changed"]);
