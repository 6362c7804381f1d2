import { expect, test } from "vitest";
import type { RiverNode } from "../../../../src/projections/usage/budget-river.ts";
import { riverBands } from "./river-bands.ts";

const SHAPE = { row: 40, indent: 20, widest: 20 };

function node(
  runId: string,
  level: number,
  parentId: string | undefined,
  [spent, reserved, wasted]: number[],
) {
  const flow = {
    spent: { tokens: spent!, cost: 0 },
    reserved: { tokens: reserved!, cost: 0 },
    wasted: { tokens: wasted!, cost: 0 },
  };
  return { runId, level, parentId, branch: { ...flow, runs: 1 }, frozen: [] } as unknown as RiverNode;
}

test("[U36] a band's width is its share of the total; an amount drawn as wasted is not also drawn as spent", () => {
  const bands = riverBands([node("r", 0, undefined, [80, 20, 20])], "tokens", SHAPE);
  expect(bands.map(({ shade, width }) => [shade, width])).toEqual([
    ["spent", 12],
    ["reserved", 4],
    ["wasted", 4],
  ]);
  expect(riverBands([node("r", 0, undefined, [80, 20, 20])], "cost", SHAPE)).toEqual([]);
});

test("[U36] the bands of siblings lie side by side in the parent's stream; no band is thinner than the minimum", () => {
  const tree = [
    node("r", 0, undefined, [100, 0, 0]),
    node("a", 1, "r", [50, 0, 0]),
    node("b", 1, "r", [50, 0, 0]),
    node("c", 2, "b", [1, 0, 0]),
  ];
  const bands = riverBands(tree, "tokens", SHAPE);
  const stemOf = (runId: string) =>
    Number(/^M([\d.]+) /.exec(bands.find((band) => band.runId === runId)!.path)![1]);
  expect([stemOf("a"), stemOf("b")]).toEqual([15, 5]);
  expect(stemOf("c"), "in the stem of its own parent").toBeGreaterThan(stemOf("a"));
  expect(bands.map(({ width }) => width)).toEqual([20, 10, 10, 1.5]);
});

test("[U36] a hundred sibling bands fit into the parent's stream", () => {
  const many = Array.from({ length: 100 }, (_, index) => node(`c${index}`, 1, "r", [1, 1, 0]));
  const bands = riverBands([node("r", 0, undefined, [100, 100, 0]), ...many], "tokens", SHAPE);
  const starts = bands.slice(2).map(({ path }) => Number(/^M(-?[\d.]+) /.exec(path)![1]));
  expect(Math.min(...starts)).toBeGreaterThanOrEqual(-0.1);
});
