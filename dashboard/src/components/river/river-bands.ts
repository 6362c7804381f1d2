// The budget river as SVG bands. Each run has a row.
// The run's band comes down from the parent's row, turns right and ends at the run's row.
// A band's width is its share of the total. The first child's band is rightmost, so bands never cross.

import type { Budget } from "../../../../src/journal/events.ts";
import type { Flow, RiverNode } from "../../../../src/projections/usage/budget-river.ts";
import { money, shortCount } from "../../../../src/projections/words/format.ts";

export type Unit = "tokens" | "cost";
export type Shade = "spent" | "reserved" | "wasted";

export interface Band {
  runId: string;
  shade: Shade;
  width: number;
  path: string;
  frozen: boolean;
}

export interface Shape {
  row: number;
  indent: number;
  /** Width of the whole stream. */
  widest: number;
}

/** The minimum width of a band. With very many runs the minimum is smaller, so that all bands fit. */
const thinnest = (nodes: number, { widest }: Shape): number => Math.min(1.5, widest / (2 * nodes));
const BEND = 6;

export function riverBands(nodes: readonly RiverNode[], unit: Unit, shape: Shape): Band[] {
  const [top] = nodes;
  if (!top) return [];
  const total = sharesOf(top.branch, unit).reduce((sum, { amount }) => sum + amount, 0);
  const scale = { total, least: thinnest(nodes.length, shape), widest: shape.widest };
  const widths = new Map(nodes.map((node) => [node.runId, widthsOf(node, unit, scale)]));
  const lines = new Map(nodes.map(({ runId }, index) => [runId, index]));
  const used = new Map<string, number>();
  return nodes.flatMap((node) => {
    const parent = node === top ? undefined : node.parentId;
    const from = parent === undefined ? -1 : (lines.get(parent) ?? -1);
    const right = used.get(parent ?? "") ?? 0;
    const streams = widths.get(node.runId)!;
    const wide = streams.reduce((sum, { width }) => sum + width, 0);
    used.set(parent ?? "", right + wide);
    return bandsOf(node, { streams, wide, right, from, line: lines.get(node.runId)! }, shape);
  });
}

/** Splits a flow into spent, reserved and wasted amounts. The spent amount excludes the wasted amount. */
export function sharesOf({ spent, reserved, wasted }: Flow, unit: Unit): { shade: Shade; amount: number }[] {
  return [
    { shade: "spent", amount: Math.max(0, spent[unit] - wasted[unit]) },
    { shade: "reserved", amount: reserved[unit] },
    { shade: "wasted", amount: wasted[unit] },
  ];
}

/** The x coordinate at which the bands of a row end. */
export const bandEnd = ({ level }: RiverNode, { indent, widest }: Shape): number =>
  widest + level * indent + 2 * BEND;

interface Scale {
  total: number;
  least: number;
  widest: number;
}

function widthsOf(node: RiverNode, unit: Unit, { total, least, widest }: Scale) {
  return sharesOf(node.branch, unit)
    .filter(({ amount }) => amount > 0)
    .map(({ shade, amount }) => ({ shade, width: Math.max(least, (amount / total) * widest) }));
}

interface Place {
  streams: { shade: Shade; width: number }[];
  wide: number;
  /** The part of the parent's width that the bands of earlier children already use. */
  right: number;
  from: number;
  line: number;
}

function bandsOf(node: RiverNode, { streams, wide, right, from, line }: Place, shape: Shape): Band[] {
  const { row, indent, widest } = shape;
  const top = line * row + row / 2 - wide / 2;
  const end = bandEnd(node, shape);
  const start = from * row + row / 2;
  // Coordinates of the centre of the curve.
  const x = widest + (node.level - 1) * indent - right + BEND;
  const y = top - BEND;
  let before = 0;
  return streams.map(({ shade, width }) => {
    const radius = round(BEND + before + width / 2);
    before += width;
    const down = `M${round(x - radius)} ${start} V${round(y)} A${radius} ${radius} 0 0 0 ${round(x)} ${round(y + radius)}`;
    const path = `${from < 0 ? `M0 ${round(y + radius)}` : down} H${end}`;
    return { runId: node.runId, shade, width: round(width), path, frozen: node.frozen.length > 0 };
  });
}

const round = (value: number): number => Math.round(value * 10) / 10;

export const limitIn = ({ maxTokens, maxCost }: Budget, unit: Unit): number | undefined =>
  unit === "cost" ? maxCost : maxTokens;

/** The limit in the format that the API expects. */
export const toBudget = (value: number, unit: Unit): { maxCost: number } | { maxTokens: number } =>
  unit === "cost" ? { maxCost: value } : { maxTokens: value };

export const formatAmount = (amount: number, unit: Unit): string =>
  unit === "cost" ? money(amount) : `${shortCount(amount)} tokens`;

/** A short form of the amount for a table cell. */
export const formatCell = (amount: number, unit: Unit): string => {
  if (amount === 0) return "–";
  return unit === "cost" ? money(amount) : shortCount(amount);
};
