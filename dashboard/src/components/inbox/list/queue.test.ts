import { describe, expect, test } from "vitest";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { findDangers } from "../cards/dangers.ts";
import { findDifferences, keepPositions, similarItems, sortQueue } from "./queue.ts";

const item = (id: string, more: Partial<ApprovalView> = {}): ApprovalView => ({
  id,
  itemId: id,
  kind: "tool",
  runId: "r1",
  rootRunId: "r1",
  path: ["lead"],
  agent: "lead",
  tool: "Write",
  input: { path: `src/${id}.ts`, content: "x" },
  round: 1,
  requestedAt: 0,
  trail: [],
  blocks: { runs: 1, root: false },
  spent: { run: { cost: 0, unpriced: 0 }, tree: { cost: 0, unpriced: 0 } },
  did: { turns: 1, toolCalls: 0, files: [] },
  recent: [],
  ...more,
});

const shell = (id: string, command: string, more: Partial<NonNullable<ApprovalView["command"]>> = {}) =>
  item(id, {
    tool: "Bash",
    input: { command },
    command: { grade: "exact", why: "", programs: [], files: [], hosts: [], decoded: [], ...more },
  });

const ids = (items: readonly ApprovalView[]) => items.map(({ id }) => id);

test("[U20] items that block a root come first, then items that block the most runs, then the oldest items", () => {
  const queue = sortQueue([
    item("young", { requestedAt: 9 }),
    item("old", { requestedAt: 1 }),
    item("many", { blocks: { runs: 3, root: false }, requestedAt: 8 }),
    item("root", { blocks: { runs: 2, root: true }, requestedAt: 7 }),
  ]);
  expect(ids(queue)).toEqual(["root", "many", "old", "young"]);
});

test("[29 bugs] the list does not jump after a decision: known rows keep their order, and a new row never pushes the current one down", () => {
  const [a, b, c] = [
    item("a", { requestedAt: 1 }),
    item("b", { requestedAt: 2 }),
    item("c", { requestedAt: 3 }),
  ];
  const before = keepPositions([], [c, b, a], undefined);
  expect(before.map((row) => row.item.id)).toEqual(["a", "b", "c"]);
  // The answer to `a` makes `c` the most urgent item, and its run asks again.
  const [urgent, again] = [
    { ...c, blocks: { runs: 4, root: true } },
    item("d", { blocks: { runs: 3, root: true }, requestedAt: 4 }),
  ];
  const after = keepPositions(before, [b, urgent, again], "b");
  expect(after.map((row) => [row.item.id, row.isClosed])).toEqual([
    ["a", true],
    ["b", false],
    ["c", false],
    ["d", false],
  ]);
  // A new item that is more urgent than the rows below the current one stands above them.
  const top = item("e", { blocks: { runs: 9, root: true } });
  expect(keepPositions(before, [a, b, c, top], "a").map((row) => row.item.id)).toEqual(["a", "e", "b", "c"]);
});

describe("[U28] similar items", () => {
  test("commands that differ only in names are similar; files of one type in one folder are similar", () => {
    const [a, b, c] = [shell("a", "git add a.ts"), shell("b", "git add b.ts"), shell("c", "git add -f b.ts")];
    expect(ids(similarItems(a, [a, b, c]))).toEqual(["a", "b"]);
    const files = [item("x"), item("y"), item("z", { input: { path: "z.md", content: "" } })];
    expect(ids(similarItems(files[0]!, files))).toEqual(["x", "y"]);
    expect(findDifferences([a, b])).toEqual({ common: "Run: git add …", parts: ["a.ts", "b.ts"] });
  });

  test("[36.10] the unknown outcomes of a tree are answered together, and those of another tree are not", () => {
    const outcome = (id: string, rootRunId: string, command: string) =>
      item(id, { kind: "outcome", rootRunId, tool: "Bash", input: { command } });
    const all = [
      outcome("a", "r1", "pay a"),
      outcome("b", "r1", "rm b"),
      outcome("c", "r2", "pay c"),
      item("d"),
    ];
    expect(ids(similarItems(all[0]!, all))).toEqual(["a", "b"]);
  });

  test("commands with different shell syntax are not similar; a dynamic or dangerous command is similar to no other command", () => {
    const pairs = [
      [shell("a", "echo a"), shell("b", "echo $(rm b)")],
      [shell("a", "cat a"), shell("b", "cat a>b")],
      [shell("a", "npm test a"), shell("b", "npm test b", { grade: "dynamic" })],
      [shell("a", "get a"), shell("b", "get b", { hosts: ["b.test"] })],
    ] as const;
    for (const [a, b] of pairs) expect(ids(similarItems(a, [a, b]))).toEqual(["a"]);
    expect(ids(similarItems(item("q", { kind: "question" }), [item("q", { kind: "question" })]))).toEqual([
      "q",
    ]);
  });
});

test("[A17] the warnings on a card come from the recorded call", () => {
  expect(findDangers(item("a"))).toEqual([]);
  expect(findDangers(item("a", { untrusted: ["https://a.test"] }))).toEqual([
    "this run has read untrusted content from https://a.test",
  ]);
  expect(findDangers(shell("a", `ls${"\n".repeat(3_000)}ls`))).toEqual([
    "it contains invisible or look-alike characters",
  ]);
  const programs = [{ argv: ["/bin/rm", "-rf"], depth: 0, readOnly: false }];
  expect(findDangers(shell("a", "x", { programs }))).toEqual(["it uses rm"]);
});
