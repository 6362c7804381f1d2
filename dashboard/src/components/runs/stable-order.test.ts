import { expect, test } from "vitest";
import { stableOrder } from "./stable-order.ts";

const rows = (text: string) => text.split("").map((id) => ({ id }));
const ids = (shown: readonly { id: string }[]) => shown.map(({ id }) => id).join("");

test("[U05] while the user interacts with the list, rows keep their position; new rows are counted but not shown", () => {
  const { shown, fresh, removed } = stableOrder(rows("cba"), rows("fedcba"), true);
  expect([ids(shown), fresh, removed.size]).toEqual(["cba", 3, 0]);
  expect(ids(stableOrder(rows("cba"), rows("fedcba"), false).shown)).toBe("fedcba");
});

test("[U05] rows update in place; the next page is appended; rows that no longer match stay in the list", () => {
  const now = [{ id: "d" }, { id: "c", status: "done" }, { id: "a" }, { id: "z" }, { id: "y" }];
  const { shown, fresh, removed } = stableOrder<{ id: string; status?: string }>(rows("cba"), now, true);
  expect(ids(shown)).toBe("cbazy");
  expect(shown[0]).toEqual({ id: "c", status: "done" });
  expect([fresh, [...removed]]).toEqual([1, ["b"]]);
});

test("[U05] if all rows were replaced, the list shows only the number of new rows", () => {
  expect(stableOrder(rows("ba"), rows("dc"), true)).toMatchObject({ fresh: 2 });
  expect(ids(stableOrder([], rows("dc"), true).shown)).toBe("dc");
});
