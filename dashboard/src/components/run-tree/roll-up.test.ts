import { expect, test } from "vitest";
import type { RunRow } from "../../../../src/projections/folds/run-row.ts";
import type { RunJournal } from "../../live/run-journal.ts";
import { pathTo, rollUps, treeLevels, treeOrder, troubleIn } from "./roll-up.ts";

const run = (id: string, parent: string | undefined, over: Partial<RunRow>, children: string[] = []) =>
  [
    id,
    {
      row: {
        id,
        parentRunId: parent,
        usage: { cost: 1, unpriced: 0, input: 10, output: 2 },
        status: "completed",
        ...over,
      },
      children,
    } as unknown as RunJournal,
  ] as const;

const runs = new Map([
  run("root", undefined, { status: "suspended", waitingOn: { kind: "child_hitl" } }, ["a", "b"]),
  run("a", "root", { status: "suspended", waitingOn: { kind: "child_hitl" } }, ["c"]),
  run("b", "root", { status: "failed" }, ["d", "lost"]),
  run("c", "a", { status: "suspended", waitingOn: { kind: "approval" } }),
  run("d", "b", { status: "running" }),
]);

test("[U07] a node shows how many runs are below it; only a run with its own request counts as needing a person", () => {
  expect(rollUps(runs, "root").get("root")).toEqual({
    running: 1,
    waiting: 1,
    failed: 1,
    needsYou: 1,
    refused: 0,
    runs: 4,
    cost: 5,
    unpriced: 0,
    tokens: 60,
  });
  expect(rollUps(runs, "root").get("b")).toMatchObject({ running: 1, failed: 0, cost: 2, tokens: 24 });
});

test("the tree lists nodes in the order they started and leaves out the children of a collapsed node", () => {
  expect(treeOrder(runs, "root")).toEqual(["root", "a", "c", "b", "d"]);
  expect(treeOrder(runs, "root", (id) => id !== "a")).toEqual(["root", "a", "b", "d"]);
  expect(pathTo(runs, "c").map(({ row }) => row.id)).toEqual(["root", "a", "c"]);
});

test("[U07] [S2-80] a node is one level below its parent, even if their delegation depths are equal", () => {
  const flat = new Map([...runs].map(([id, each]) => [id, { ...each, row: { ...each.row, depth: 0 } }]));
  const order = treeOrder(flat, "root");
  expect([...treeLevels(flat, order)]).toEqual([
    ["root", 1],
    ["a", 2],
    ["c", 3],
    ["b", 2],
    ["d", 3],
  ]);
});

test("[29.5] a completed run says what was refused or has failed below it; a cancelled run is no failure", () => {
  const tree = new Map([
    run("root", undefined, {}, ["a", "b"]),
    run("a", "root", { status: "failed" }),
    run("b", "root", { status: "cancelled" }),
  ]);
  tree.get("root")!.refused = 2;
  tree.get("b")!.refused = 1;
  const sums = rollUps(tree, "root");
  expect(troubleIn(tree.get("root")!.row, sums.get("root")!)).toBe("1 failed, 3 refused");
  expect(troubleIn(tree.get("a")!.row, sums.get("a")!)).toBeUndefined();
  expect(troubleIn({ status: "completed" }, { ...sums.get("a")!, failed: 0 })).toBeUndefined();
});
