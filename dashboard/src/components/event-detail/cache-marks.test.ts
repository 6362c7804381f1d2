import { expect, test } from "vitest";
import { cacheMarks } from "./cache-marks.ts";

const message = (text: string) => ({ role: "user" as const, content: [{ type: "text", text }] });
const request = {
  tools: [{ name: "Read", inputSchema: "x".repeat(964) }],
  system: "x".repeat(1_000),
  messages: [message("x".repeat(970)), message("x".repeat(970))],
};

test("[29.4] the first parts of a request are the ones that the provider had cached", () => {
  const marksFor = (cacheRead: number) =>
    cacheMarks({ ...request, usage: { input: 1_000, output: 1, cacheRead } });
  expect(marksFor(0)).toEqual({ tools: "new", system: "new", messages: ["new", "new"] });
  expect(marksFor(500)).toEqual({ tools: "cached", system: "cached", messages: ["new", "new"] });
  expect(marksFor(600)).toEqual({ tools: "cached", system: "cached", messages: ["partly", "new"] });
  expect(marksFor(1_000)).toEqual({ tools: "cached", system: "cached", messages: ["cached", "cached"] });
});

test("[29.4] without a report about the cache, nothing is marked", () => {
  const none = { tools: undefined, system: undefined, messages: [undefined, undefined] };
  expect(cacheMarks({ ...request, usage: { input: 1_000, output: 1 } })).toEqual(none);
  expect(cacheMarks(request)).toEqual(none);
});
