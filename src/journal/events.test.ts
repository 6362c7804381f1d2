import { expect, test } from "vitest";
import { OUTCOME_TYPES, payloads, TERMINAL_TYPES } from "./events.ts";

test("the sets of event types contain only existing types", () => {
  expect(Object.keys(payloads)).toEqual(expect.arrayContaining([...OUTCOME_TYPES, ...TERMINAL_TYPES]));
});
