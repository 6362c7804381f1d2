import { expect, test } from "vitest";
import { withoutTimes } from "./without-times.ts";

test.each([
  ["12 passed (0.0 s)", "12 passed (0.1 s)"],
  ["ok in 1m 20s", "ok in 58s"],
  ["took 12ms", "took 1.5 seconds"],
  ["2026-01-31T12:30:00.123Z done", "2026-02-01T01:00:59Z done"],
  ["[12:30:05] done", "[01:02:03.456] done"],
])("[29.16] %s and %s are equal apart from their times", (a, b) => {
  expect(withoutTimes(a)).toBe(withoutTimes(b));
});

test.each([
  ["12 passed", "13 passed"],
  ["port 8080", "port 9090"],
  ["5 more files", "6 more files"],
  ["src/a.ts:12:30", "src/a.ts:12:31"],
  ["v1.2.3s", "v1.2.4s"],
])("[29.16] %s and %s differ", (a, b) => {
  expect(withoutTimes(a)).not.toBe(withoutTimes(b));
});

test("a long text without times stays as it is, quickly", () => {
  const text = "1".repeat(100_000);
  expect(withoutTimes(text)).toBe(text);
});
