import { expect, test } from "vitest";
import type { EventBody, JournalEvent } from "../../journal/events.ts";
import { buildJournal, contextAdded, runStarted } from "../../stores/contract/kit.contract.ts";
import { fold } from "../projection.ts";
import { timelineProjection } from "./timeline.ts";
import { mergeWaits } from "./waits-in-a-row.ts";

const [begun] = buildJournal(runStarted());
const eventsOf = (...bodies: EventBody[]): JournalEvent[] =>
  bodies.map((body, at) => ({ ...begun!, ...body, seq: at + 1 }) as JournalEvent);

test("[26.14] nine waits and resumes in a row are one line, and a person's resume keeps its own", () => {
  const wait: EventBody = {
    type: "RUN_SUSPENDED",
    payload: { waitingOn: { kind: "timer" } },
  };
  const goesOn: EventBody = { type: "RUN_RESUMED", payload: { by: "cadre" } };
  const nine = [wait, goesOn, wait, goesOn, wait, goesOn, wait, goesOn, wait];
  const byAnn: EventBody = { type: "RUN_RESUMED", payload: { by: "ann" } };
  const events = eventsOf(runStarted(), ...nine, byAnn, contextAdded("late"), wait, goesOn);
  const { entries } = fold(timelineProjection, events);
  const merged = mergeWaits(entries, (seq) => events.find((event) => event.seq === seq));
  expect(merged.map(({ title }) => title)).toEqual([
    "Started: coder",
    "Waiting for its timer (9 waits and resumes in a row)",
    "ann let it go on",
    "A person says: about late",
    "Waiting for its timer",
    "Goes on",
  ]);
});
