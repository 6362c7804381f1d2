import { expect, test } from "vitest";
import type { EventBody, JournalEvent } from "../../journal/events.ts";
import { fold } from "../projection.ts";
import { repeatedEffectsProjection } from "./repeated-effects.ts";

const toolProposed = (effect: string, id = "m1.0") => ({
  type: "TOOL_PROPOSED",
  payload: { toolCallId: id, effect },
});
const toolStarted = (id = "m1.0") => ({ type: "TOOL_STARTED", payload: { toolCallId: id } });
const again = { type: "OUTCOME_DECIDED", payload: { toolCallId: "m1.0", verdict: "run_again" } };

const count = (...events: { type: string; payload: object }[]): number =>
  fold(repeatedEffectsProjection, events as unknown as (JournalEvent & EventBody)[]).count;

test("[P4] an unsafe call that was started twice is counted, unless a person allowed the repetition", () => {
  expect(count(toolProposed("unsafe"), toolStarted())).toBe(0);
  expect(count(toolProposed("unsafe"), toolStarted(), toolStarted())).toBe(1);
  expect(count(toolProposed("unsafe"), toolStarted(), again, toolStarted())).toBe(0);
  expect(count(toolProposed("unsafe"), toolStarted(), again, toolStarted(), toolStarted())).toBe(1);
  // The call was proposed twice, but two proposals of one call still allow only one start.
  expect(count(toolProposed("unsafe"), toolProposed("unsafe"), toolStarted(), toolStarted())).toBe(1);
  expect(
    count(
      toolProposed("read"),
      toolStarted(),
      toolStarted(),
      toolProposed("idempotent", "m1.1"),
      toolStarted("m1.1"),
    ),
  ).toBe(0);
});
