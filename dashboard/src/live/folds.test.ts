import { expect, test } from "vitest";
import type { JournalEvent } from "../../../src/journal/events.ts";
import { incrementalFold } from "./folds.ts";

test("[U14] a projection processes each event of a growing journal once", () => {
  const seen: number[] = [];
  const of = incrementalFold({
    name: "count",
    initial: () => 0,
    apply: (count: number, { seq }: JournalEvent) => {
      seen.push(seq);
      return count + 1;
    },
  });
  const events = [{ seq: 1 }, { seq: 2 }] as JournalEvent[];
  expect(of(events)).toBe(2);
  events.push({ seq: 3 } as JournalEvent);
  expect([of(events), of(events)]).toEqual([3, 3]);
  expect(seen).toEqual([1, 2, 3]);
});
