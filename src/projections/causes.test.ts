import { expect, test } from "vitest";
import type { EventBody } from "../journal/events.ts";
import {
  callFailed,
  callStarted,
  childStarted,
  context,
  decided,
  ended,
  journalOf,
  proposed,
  started,
  suspended,
  thought,
  toolResult,
  toolStarted,
} from "../stores/contract/kit.contract.ts";
import { causeOf, causesOf } from "./causes.ts";

const of = (...events: EventBody[]) => {
  const journal = journalOf(...events);
  const journals = new Map([["r1", journal]]);
  return { journal, journals, causes: journal.map((event) => causeOf(journals, event)?.seq) };
};

test("[T6] a call goes back over the person and the rule to the thought, and that to the task", () => {
  const { causes } = of(
    started(),
    callStarted("m1"),
    thought("m1"),
    proposed("m1.0", { verdict: "ask" }),
    suspended("s1", { kind: "approval", items: ["m1.0"] }),
    decided("m1.0", "approve", "ann"),
    toolStarted("m1.0"),
    toolResult("m1.0"),
    callStarted("m2"),
    thought("m2"),
    ended("RUN_COMPLETED"),
  );
  expect(causes).toEqual([undefined, 1, 2, 3, 4, 4, 6, 7, 1, 9, 10]);
});

test("[T8] trouble and words from outside stand between two turns; what went well does not", () => {
  const { causes } = of(
    started(),
    callStarted("m1"),
    thought("m1"),
    { type: "TOOL_RESULT", payload: { toolCallId: "m1.0", output: "no", isError: true } },
    callStarted("m2"),
    thought("m2"),
    context("c1"),
    callStarted("m3"),
    thought("m3"),
    callStarted("m4"),
  );
  expect(causes[4]).toBe(4);
  expect(causes[7]).toBe(7);
  expect(causes[9]).toBe(1);
});

test("[U45] each attempt goes back to the one before", () => {
  const { journal, journals } = of(
    started(),
    callStarted("m1"),
    callFailed("m1"),
    callStarted("m1", { attempt: 2 }),
    callFailed("m1", { attempt: 2 }),
    callStarted("m1", { attempt: 3 }),
  );
  expect(causesOf(journals, journal.at(-1)!).map(({ seq }) => seq)).toEqual([6, 5, 4, 3, 2, 1]);
});

test("[T7] whatever the journal lacks, a cause is an event of it that came before, or none", () => {
  const { journal: whole } = of(
    started(),
    callStarted("m1"),
    thought("m1"),
    proposed("m1.0"),
    childStarted("c1"),
    toolStarted("m1.0"),
    toolResult("m1.0"),
  );
  for (const [index] of whole.entries()) {
    const journal = whole.slice(index);
    for (const event of journal) {
      const cause = causeOf(new Map([["r1", journal]]), event);
      expect(cause === undefined || journal.indexOf(cause) < journal.indexOf(event)).toBe(true);
    }
  }
});
