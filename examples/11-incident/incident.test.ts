// Tests every ending of the demo. Also checks that the demo describes the service, the log and the code correctly.

import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { textOf } from "../../src/journal/message.ts";
import type { Decision } from "../../src/loop/commands/person-commands.ts";
import type { ApprovalItem } from "../../src/projections/folds/approvals.ts";
import { fold } from "../../src/projections/projection.ts";
import { usageProjection } from "../../src/projections/usage/run-usage.ts";
import {
  attend,
  countStarted,
  endOf,
  eventsOf,
  isGreen,
  nextItem,
  placeOrder,
  setStage,
  startRun,
  TEST_COMMAND,
} from "./play.fixture.ts";

const TESTS_ALLOWED = [`Bash(${TEST_COMMAND})`];
const ORDER = { id: 48247, coupon: "FIVEOFF", lines: Array(3).fill({ sku: "a", price: 1999, quantity: 1 }) };
const approve = (): Decision => ({ decision: "approve" });

test("the agent reads the log, finds the bug and makes the tests pass; only the edit needs an approval", async () => {
  await using stage = await setStage();
  expect(isGreen(stage.folder)).toBe(false);
  const before = await placeOrder(stage.folder, ORDER);
  expect(before.status).toBe(500);
  expect(before.log).toContain("receipt does not add up: lines 5496, total 5497");
  const log = await stage.read("logs/checkout.log");

  const runtime = await stage.runtime({ hasty: false });
  const runId = await startRun(runtime, stage, TESTS_ALLOWED);
  const asked = await attend(runtime, runId, approve);
  const { journal, result } = await endOf(runtime, runId);

  expect(asked.map((item) => item.tool)).toEqual(["Edit"]);
  expect(asked[0]!.preview).toContain("-  return amounts.map((amount) => Math.round(");
  expect(asked[0]!.preview).toContain("+    const share = Math.round((discount * seen) / total) - given;");
  const results = eventsOf(journal, "TOOL_RESULT").map((event) => String(event.payload.output));
  expect(results[0]).toContain("logs/checkout.log:32:2026-11-17T09:30:07.003Z ERROR order 48247");
  expect(results.filter((output) => /\bfail 2\b[\s\S]*\[exit 1,/.test(output))).toHaveLength(1);
  expect(results.filter((output) => /\bfail 0\b[\s\S]*\[exit 0,/.test(output))).toHaveLength(1);
  expect(countStarted(journal, "Edit")).toBe(1);
  expect(countStarted(journal, "Bash")).toBe(2);
  expect(result.summary).toMatch(/^Fixed: .*lose a cent to rounding.*all tests of the service pass\.$/);
  expect(result.files_modified).toEqual(["service/pricing.js"]);
  expect(result.files_created).toEqual([]);
  expect(fold(usageProjection, journal)).toMatchObject({
    cost: 0,
    unpriced: 0,
    wastedCalls: 0,
    modelCalls: 7,
  });
  expect(await runtime.store.journal.head(runId)).toMatchObject({ seq: journal.length });
  const [first] = eventsOf(journal, "AGENT_THOUGHT");
  expect(textOf(first!.payload.content)).toContain("I am a scripted model");

  expect(isGreen(stage.folder)).toBe(true);
  const after = await placeOrder(stage.folder, ORDER);
  expect(after).toMatchObject({ status: 201, body: { total: 5497 } });
  expect(await stage.read("logs/checkout.log")).toBe(log);
});

test("if the demo runs again after the fix, the tests pass; the agent changes nothing and needs no approval", async () => {
  await using stage = await setStage();
  const runtime = await stage.runtime();
  await attend(runtime, await startRun(runtime, stage, TESTS_ALLOWED), approve);
  const again = await startRun(runtime, stage, TESTS_ALLOWED);
  expect(await attend(runtime, again, approve)).toEqual([]);
  const { result } = await endOf(runtime, again);
  expect(result.summary).toContain("I changed nothing");
  expect(result.files_modified).toEqual([]);
});

test("if no rule allows running the tests, the test command needs approval too; one approval is enough for the whole run", async () => {
  await using stage = await setStage();
  const runtime = await stage.runtime();
  const runId = await startRun(runtime, stage);
  const asked = await attend(runtime, runId, ({ tool }) => ({
    decision: "approve",
    ...(tool === "Bash" ? { scope: "run" as const } : {}),
  }));
  const { journal, result } = await endOf(runtime, runId);
  expect(asked.map((item) => item.tool)).toEqual(["Bash", "Edit"]);
  expect(asked[0]!.preview).toBe(TEST_COMMAND);
  expect(eventsOf(journal, "TOOL_PROPOSED").at(-1)!.payload.rule).toBe(`person grant Bash(${TEST_COMMAND})`);
  expect(result.summary).toMatch(/^Fixed/);
});

test("if the person rejects the edit, the agent reports the cause and changes nothing", async () => {
  await using stage = await setStage();
  const code = await stage.read("service/pricing.js");
  const runtime = await stage.runtime();
  const runId = await startRun(runtime, stage, TESTS_ALLOWED);
  await attend(runtime, runId, () => ({ decision: "reject", note: "code freeze until noon" }));
  const { journal, result } = await endOf(runtime, runId);
  expect(result.summary).toMatch(/found the cause.*changed nothing.*left to a person/);
  expect(result.details).toContain("Rejected by ada: code freeze until noon");
  expect(result.warnings).not.toEqual([]);
  expect(result.files_modified).toEqual([]);
  expect(countStarted(journal, "Edit")).toBe(0);
  expect(await stage.read("service/pricing.js")).toBe(code);
});

const GIVE_REST_TO_LAST = `  const shares = amounts.map((amount) => Math.round((discount * amount) / total));
  shares[shares.length - 1] += discount - sum(shares);
  return shares;
`;
const GIVE_REST_TO_FIRST_THAT_CAN = `  const shares = amounts.map((amount) => Math.floor((discount * amount) / total));
  for (let rest = discount - sum(shares), at = 0; rest > 0; at++) {
    if (shares[at] === amounts[at]) continue;
    shares[at]++;
    rest--;
  }
  return shares;
`;

test.each([
  ["a worse edit, and the tests fail", GIVE_REST_TO_LAST, /^Not fixed/, false],
  ["another good edit, and the tests pass", GIVE_REST_TO_FIRST_THAT_CAN, /^Fixed/, true],
])("the person changes the proposed edit to %s", async (_, replacement, summary, green) => {
  await using stage = await setStage();
  const runtime = await stage.runtime();
  const runId = await startRun(runtime, stage, TESTS_ALLOWED);
  const replaceEdit = (item: ApprovalItem): Decision => ({
    decision: "edit",
    input: { ...(item.input as object), new_string: replacement },
  });
  await attend(runtime, runId, replaceEdit);
  const { journal, result } = await endOf(runtime, runId);
  expect(result.summary).toMatch(summary);
  expect(await stage.read("service/pricing.js")).toContain(replacement);
  expect(isGreen(stage.folder)).toBe(green);
  const words = eventsOf(journal, "AGENT_THOUGHT").map((event) => textOf(event.payload.content));
  expect(words).toContainEqual(expect.stringContaining("You changed my edit"));
});

test("if the agent is not allowed to run the tests, it makes the edit but does not claim that the bug is fixed", async () => {
  await using stage = await setStage();
  const runtime = await stage.runtime();
  const runId = await startRun(runtime, stage);
  const asked = await attend(runtime, runId, ({ tool }) => ({
    decision: tool === "Bash" ? "reject" : "approve",
  }));
  const { result } = await endOf(runtime, runId);
  expect(asked.map((item) => item.tool)).toEqual(["Bash", "Edit", "Bash"]);
  expect(result.summary).toContain("do not call it fixed");
  expect(result.warnings).toEqual(["Not tested."]);
  expect(isGreen(stage.folder)).toBe(true);
});

test("if the process ends while an approval is open, another process continues the run and repeats nothing", async () => {
  await using stage = await setStage();
  const first = await stage.runtime();
  const runId = await startRun(first, stage, TESTS_ALLOWED);
  const shown = await nextItem(first, runId);
  expect(shown?.tool).toBe("Edit");
  await first.stop();

  const second = await stage.runtime();
  const before = await second.store.journal.read(runId);
  expect(await nextItem(second, runId)).toEqual(shown);
  const asked = await attend(second, runId, approve);
  const { journal, result } = await endOf(second, runId);
  expect(asked.map((item) => item.id)).toEqual([shown!.id]);
  expect(journal.slice(0, before.length)).toEqual(before);
  expect(result.summary).toMatch(/^Fixed/);
  expect(countStarted(journal, "Edit")).toBe(1);
  expect(countStarted(journal, "Bash")).toBe(2);
  expect(eventsOf(journal, "MODEL_CALL_STARTED")).toHaveLength(7);
  expect(isGreen(stage.folder)).toBe(true);
});

test("if the log shows a different incident, the agent says that its script does not cover this incident", async () => {
  await using stage = await setStage();
  const runtime = await stage.runtime();
  await rm(`${stage.folder}/logs`, { recursive: true });
  const runId = await startRun(runtime, stage);
  expect(await attend(runtime, runId, approve)).toEqual([]);
  expect((await endOf(runtime, runId)).result.summary).toContain("not the incident that I have a script for");
});

test("the log and the script agree with the real behaviour of the service", async () => {
  await using stage = await setStage();
  const log = await stage.read("logs/checkout.log");
  const words = await stage.read("incident.script.yaml");
  const frames = [...log.matchAll(/at (?:Server\.)?(\S+) \(file:.*\/service\/(\S+):(\d+):\d+\)/g)];
  expect(frames).toHaveLength(20);
  const says: Record<string, string> = {
    assertBalanced: "receipt does not add up",
    checkout: "assertBalanced(receipt)",
    serve: "checkout(order)",
    "<anonymous>": "serve(order, response)",
  };
  for (const [, name, file, line] of frames)
    expect((await stage.read(`service/${file}`)).split("\n")[Number(line) - 1]).toContain(says[name!]);
  const failed = [...log.matchAll(/ERROR order (\d+) \(lines=(\d+) coupon=(\S+)\)/g)];
  expect(failed).toHaveLength(5);
  for (const [, order, lines, coupon] of failed) {
    expect(words).toContain(order);
    expect(Number(lines)).toBeGreaterThan(1);
    expect(coupon).not.toBe("-");
  }
  const [, afterDeploy] = log.split("09:22:33.186Z INFO  checkout 2.15.0 listens");
  expect(/order (\d+) \(lines=\d+ coupon=[A-Z]/.exec(afterDeploy!)![1]).toBe(failed[0]![1]);
  expect((await stage.read("service/pricing.js")).split("\n")[20]).toContain(
    "Math.round((discount * amount)",
  );
});
