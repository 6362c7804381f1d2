import { expect, test } from "vitest";
import { CadreError } from "../errors.ts";
import { PinnedReasoning } from "./reasoning.ts";
import { readEvent, type StoredEvent } from "./upcast.ts";

const storedEvent = (text: string, type = "CONTEXT_ADDED"): StoredEvent => ({
  runId: "r1",
  seq: 7,
  position: 9,
  ts: 5,
  type,
  key: "context/x",
  text,
});

const GOOD = '{"id":"x","source":"person","text":"hi"}';

test("[P13] an event in the current format is read unchanged", () => {
  expect(readEvent(storedEvent(GOOD))).toEqual({
    runId: "r1",
    seq: 7,
    position: 9,
    ts: 5,
    type: "CONTEXT_ADDED",
    key: "context/x",
    payload: { id: "x", source: "person", text: "hi" },
  });
  expect(readEvent(storedEvent(GOOD.replace("{", '{"v":1,')))).toMatchObject({ payload: { id: "x" } });
});

test.each([
  ["CONTEXT_COMPACTED", { callId: "m3", upTo: { runId: "r1", seq: 4 }, summary: "A was read." }],
  [
    "MODEL_CALL_FAILED",
    { callId: "m1", cause: "rejected", message: "prompt is too long", rejection: "too_long", ms: 5 },
  ],
])("[P13] [F39] a %s of an older Cadre is still read", (type, payload) => {
  expect(readEvent(storedEvent(JSON.stringify(payload), type))).toMatchObject({ type, payload });
});

test.each([
  ["16000", 16_000],
  ["true", "medium"],
  ["false", "none"],
  ["off", "none"],
  ["0", "none"],
  ["high", "high"],
  ["very much", undefined],
  ["", undefined],
  ["0.5", undefined],
])("[P13] [F39] the reasoning %j that an older Cadre pinned is read as %j", (pinned, meant) => {
  expect(PinnedReasoning.parse(pinned)).toBe(meant);
});

test("[P13] [F39] an event of a newer Cadre is refused; the error names the event and says that the journal is unharmed", () => {
  for (const type of ["DREAM_DREAMT", "toString", "__proto__", ""]) {
    expect(failure(storedEvent(GOOD, type))).toMatchObject({
      code: "JOURNAL_NEWER",
      message: `Run r1, event 7 is a ${type}, which this version of Cadre does not know. The journal is unharmed: use the newer version that wrote it.`,
    });
  }
  expect(failure(storedEvent(GOOD.replace("{", '{"v":2,')))).toMatchObject({
    code: "JOURNAL_NEWER",
    message: expect.stringContaining("has format 2; this version of Cadre reads up to 1"),
  });
});

test("[F30] [P9] the error about a malformed event names the event, whatever is wrong with it", () => {
  for (const text of ['{"id":"x","source":"nobody","text":"hi"}', "{}", "[]", "null", '"hi"', "{", ""]) {
    expect(failure(storedEvent(text))).toMatchObject({
      code: "JOURNAL_CORRUPT",
      message: "Run r1, event 7 (CONTEXT_ADDED) is malformed. The run is quarantined; the others continue.",
      details: { runId: "r1", seq: 7 },
    });
  }
});

function failure(event: StoredEvent): CadreError {
  try {
    readEvent(event);
  } catch (error) {
    if (error instanceof CadreError) return error;
    throw error;
  }
  throw new Error("it was read");
}
