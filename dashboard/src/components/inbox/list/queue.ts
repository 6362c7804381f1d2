// Sorts the queue and finds similar items in it.

import { useRef, useState } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { approvalTitle } from "../../../display/approval-title.ts";
import { findDangers } from "../cards/dangers.ts";

/** U20: items that block a whole tree come first, then items that block the most runs, then the oldest items. */
export function sortQueue(items: readonly ApprovalView[]): ApprovalView[] {
  return items.toSorted(
    (a, b) =>
      Number(b.blocks.root) - Number(a.blocks.root) ||
      b.blocks.runs - a.blocks.runs ||
      a.requestedAt - b.requestedAt ||
      (a.id < b.id ? -1 : 1),
  );
}

/** U28: the items that are similar to an item, including the item itself. A dangerous item is similar to no other item. */
export function similarItems(item: ApprovalView, items: readonly ApprovalView[]): ApprovalView[] {
  const shape = callShape(item);
  return shape === undefined ? [item] : items.filter((other) => callShape(other) === shape);
}

/** The shape of a call. Calls that differ only in names have the same shape. Undefined if the call is similar to no other call. */
export function callShape(item: ApprovalView): string | undefined {
  const { kind, tool, agent } = item;
  // P4: one crash can interrupt several calls of a tree. A person can give them one answer.
  if (kind === "outcome") return `outcome ${item.rootRunId}`;
  if (kind !== "tool" || tool === undefined || findDangers(item).length > 0) return undefined;
  const fields = (item.input ?? {}) as Record<string, unknown>;
  if (item.command) {
    if (item.command.grade !== "exact" || typeof fields["command"] !== "string") return undefined;
    return `${tool} ${wordsOf(fields["command"]).map(shapeOfWord).join(" ")}`;
  }
  if (typeof fields["path"] === "string")
    return `${tool} ${agent} ${fields["path"].replace(/[^/]*?(\.[^./]*)?$/, "*$1")}`;
  return `${tool} ${agent} ${Object.keys(fields).sort().join()}`;
}

/** Two similar commands can differ only in plain names. Their programs, options and shell syntax must be equal. */
function shapeOfWord(word: string, at: number): string {
  return at === 0 || /^-|[^\w@%+:,./='"-]/.test(word) ? word : "*";
}

const wordsOf = (command: string): string[] => command.trim().split(/\s+/);

export interface Differences {
  /** The words that all items share, with `…` where the items differ. */
  common: string;
  /** The words of each item that differ from the other items. */
  parts: string[];
}

export function findDifferences(items: readonly ApprovalView[]): Differences {
  const rows = items.map((item) => wordsOf(approvalTitle(item)));
  const [first = []] = rows;
  const differs = first.map((word, at) => rows.some((row) => row[at] !== word));
  return {
    common: first.map((word, at) => (differs[at] ? "…" : word)).join(" "),
    parts: rows.map((row) => row.filter((_, at) => differs[at] ?? true).join(" ")),
  };
}

export interface QueueRow {
  item: ApprovalView;
  /** Whether the item was decided or withdrawn. */
  isClosed: boolean;
}

export interface Queue {
  rows: readonly QueueRow[];
  /** Event handlers for the list element. */
  pointerHandlers: { onPointerEnter(): void; onPointerLeave(): void };
}

/**
 * U20: the queue in the order that the page shows. A row never overtakes another one, because a list that jumps after
 * a decision leads to clicks on the wrong row. While the pointer is over the list, decided items stay in place with a mark.
 */
export function useQueue(items: readonly ApprovalView[], current: string | undefined): Queue {
  const [isPointed, setPointed] = useState(false);
  const shown = useRef<readonly QueueRow[]>([]);
  const rows = keepPositions(shown.current, items, current);
  shown.current = isPointed ? rows : rows.filter(({ isClosed }) => !isClosed);
  return {
    rows: shown.current,
    pointerHandlers: { onPointerEnter: () => setPointed(true), onPointerLeave: () => setPointed(false) },
  };
}

/** The known rows in their old order. A new item takes its place in the order below the current row, so that no row above it moves. */
export function keepPositions(
  before: readonly QueueRow[],
  items: readonly ApprovalView[],
  current: string | undefined,
): QueueRow[] {
  const open = new Map(items.map((item) => [item.id, item]));
  const known = new Set(before.map(({ item }) => item.id));
  const rows = before.map(({ item }) => ({ item: open.get(item.id) ?? item, isClosed: !open.has(item.id) }));
  const rank = new Map(sortQueue(items).map(({ id }, at) => [id, at]));
  for (const item of sortQueue(items.filter(({ id }) => !known.has(id)))) {
    const top = rows.findIndex((row) => row.item.id === current) + 1;
    const at = rows.findIndex(
      (row, index) => index >= top && (rank.get(row.item.id) ?? -1) > rank.get(item.id)!,
    );
    rows.splice(at === -1 ? rows.length : at, 0, { item, isClosed: false });
  }
  return rows;
}
