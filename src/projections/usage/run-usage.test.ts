import { expect, test } from "vitest";
import type { EventBody } from "../../journal/events.ts";
import {
  agentThought,
  buildJournal,
  childStarted,
  runStarted,
  toolProposed,
  toolResult,
  toolStarted,
} from "../../stores/contract/kit.contract.ts";
import { fold } from "../projection.ts";
import { usageProjection } from "./run-usage.ts";

const toolCalls = (...events: EventBody[]): number =>
  fold(usageProjection, buildJournal(...events)).toolCalls;

test("[U27] [S1-70] a started tool call or delegation counts once, however often it was retried", () => {
  const again = childStarted("c2", "m1.1");
  expect(
    toolCalls(
      runStarted(),
      agentThought("m1"),
      toolStarted("m1.0"),
      toolStarted("m1.0", 2),
      toolResult("m1.0"),
      childStarted("c1", "m1.1"),
      { ...again, payload: { ...again.payload, attempt: 2 } } as EventBody,
    ),
  ).toBe(2);
});

test("[U27] [S1-70] refused, deferred and unstarted calls do not count as tool calls, nor do merges and the children of patterns", () => {
  const member = childStarted("c1", "team/1/a");
  expect(
    toolCalls(
      runStarted(),
      agentThought("m1"),
      toolProposed("m1.0", { verdict: "deny" }),
      toolResult("m1.0", "Not allowed"),
      toolResult("m1.1", "The others hear it when the next round begins."),
      { ...member, payload: { ...member.payload, trigger: "team" } } as EventBody,
      toolStarted("merge/c1"),
      toolResult("m2.0", "Received."),
    ),
  ).toBe(0);
});
