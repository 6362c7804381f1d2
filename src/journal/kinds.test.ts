import { expect, test } from "vitest";
import { OUTCOME_TYPES, payloads, TERMINAL_TYPES } from "./events.ts";

test("types that are named without the schemas are types of events", () => {
  expect(Object.keys(payloads)).toEqual(expect.arrayContaining([...OUTCOME_TYPES, ...TERMINAL_TYPES]));
});
