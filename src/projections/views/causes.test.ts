import { expect, test } from "vitest";
import type { EventBody } from "../../journal/events.ts";
import {
  agentThought,
  approvalDecided,
  buildJournal,
  childStarted,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  runEnded,
  runStarted,
  runSuspended,
  toolProposed,
  toolResult,
  toolStarted,
} from "../../stores/contract/kit.contract.ts";
import { causeOf, causesOf } from "./causes.ts";

const of = (...events: EventBody[]) => {
  const journal = buildJournal(...events);
  const journals = new Map([["r1", journal]]);
  return { journal, journals, causes: journal.map((event) => causeOf(journals, event)?.seq) };
};

test("[T6] the chain of a call's causes contains the approval, the rule, the turn and the task", () => {
  const { causes } = of(
    runStarted(),
    modelCallStarted("m1"),
    agentThought("m1"),
    toolProposed("m1.0", { verdict: "ask" }),
    runSuspended("s1", { kind: "approval", items: ["m1.0"] }),
    approvalDecided("m1.0", "approve", "ann"),
    toolStarted("m1.0"),
    toolResult("m1.0"),
    modelCallStarted("m2"),
    agentThought("m2"),
    runEnded("RUN_COMPLETED"),
  );
  expect(causes).toEqual([undefined, 1, 2, 3, 4, 4, 6, 7, 1, 9, 10]);
});

test("[T8] a failed call or a message is a cause of the next turn; a successful call is not", () => {
  const { causes } = of(
    runStarted(),
    modelCallStarted("m1"),
    agentThought("m1"),
    { type: "TOOL_RESULT", payload: { toolCallId: "m1.0", output: "no", isError: true } },
    modelCallStarted("m2"),
    agentThought("m2"),
    contextAdded("c1"),
    modelCallStarted("m3"),
    agentThought("m3"),
    modelCallStarted("m4"),
  );
  expect(causes[4]).toBe(4);
  expect(causes[7]).toBe(7);
  expect(causes[9]).toBe(1);
});

test("[U45] each new attempt is caused by the failed attempt before it", () => {
  const { journal, journals } = of(
    runStarted(),
    modelCallStarted("m1"),
    modelCallFailed("m1"),
    modelCallStarted("m1", { attempt: 2 }),
    modelCallFailed("m1", { attempt: 2 }),
    modelCallStarted("m1", { attempt: 3 }),
  );
  expect(causesOf(journals, journal.at(-1)!).map(({ seq }) => seq)).toEqual([6, 5, 4, 3, 2, 1]);
});

test("[T7] in an incomplete journal, an event has either no cause or an earlier event as its cause", () => {
  const { journal: whole } = of(
    runStarted(),
    modelCallStarted("m1"),
    agentThought("m1"),
    toolProposed("m1.0"),
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
