import { expect, test } from "vitest";
import { SizedCache } from "./sized-cache.ts";

test("[36.12] a cache over its limit drops the least recently used values", () => {
  const cache = new SizedCache<string, number>(10);
  cache.set("a", 1, 4);
  cache.set("b", 2, 4);
  expect(cache.get("a")).toBe(1);
  cache.set("c", 3, 4);
  expect([cache.get("a"), cache.get("b"), cache.get("c"), cache.size]).toEqual([1, undefined, 3, 8]);
  cache.set("a", 4, 6);
  expect([cache.get("a"), cache.get("c"), cache.size]).toEqual([4, 3, 10]);
  cache.set("large", 5, 11);
  expect([cache.get("large"), cache.size]).toEqual([undefined, 10]);
  cache.delete("a");
  expect(cache.size).toBe(4);
});
