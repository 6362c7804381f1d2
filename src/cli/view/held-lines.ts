// What is paused, frozen or set aside in a tree, with the command that lets it go on. A branch is frozen and thawed as one.

import type { RunTree } from "../../api/schema.ts";
import { waitingWords } from "../../projections/waiting-words.ts";
import type { Typed } from "../typed.ts";
import { allOf } from "./branches.ts";

export function heldLines(tree: RunTree, typed: Typed): string[] {
  const lines = new Map<string, string>();
  for (const { id, endedAt, waitingOn } of allOf(tree)) {
    if (endedAt !== undefined || !waitingOn || !HELD.has(waitingOn.kind)) continue;
    const [top] = waitingOn.frozen ?? [];
    const command = top === undefined ? `resume ${id}` : `thaw ${top}`;
    lines.set(command, `held: ${waitingWords(waitingOn).words}\n  ${typed(command)}`);
  }
  return [...lines.values()].flatMap((line) => ["", line]);
}

const HELD: ReadonlySet<string> = new Set(["paused", "quarantine", "definition_changed"]);
