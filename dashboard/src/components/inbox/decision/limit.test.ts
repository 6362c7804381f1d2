import { expect, test } from "vitest";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { limitChoice, withLimit } from "./limit.ts";

const item = (tool: string, input: unknown) => ({ kind: "tool", tool, input }) as ApprovalView;
const limitsFor = (tool: string, input: unknown) =>
  limitChoice(item(tool, input))?.choices.map(({ value }) => value);

test("[U21] the card offers only limits that the tool supports and that are tighter than the call's own limit", () => {
  expect(limitsFor("Bash", { command: "sleep 60" })).toEqual([10_000, 30_000, 60_000, 120_000]);
  expect(limitsFor("Bash", { command: "sleep 60", timeout: 30_000 })).toEqual([10_000]);
  expect(limitsFor("Bash", { command: "sleep 60", timeout: 1_000 })).toBeUndefined();
  expect(limitsFor("delegate", { agent: "worker", task: "look" })).toContain(5);
  expect(limitsFor("delegate_to_agent", { role: "worker", task: "look" })).toBeUndefined();
  expect(limitsFor("Write", { path: "a", content: "b" })).toBeUndefined();
});

test("[U21] a tighter limit changes only the limit in the call's input", () => {
  const call = item("Bash", { command: "sleep 60", description: "wait" });
  expect(withLimit(call, limitChoice(call)!, 10_000)).toEqual({
    command: "sleep 60",
    description: "wait",
    timeout: 10_000,
  });
});
