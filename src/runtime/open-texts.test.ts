import { expect, test } from "vitest";
import type { Delta } from "../journal/deltas.ts";
import { createOpenTexts } from "./open-texts.ts";

const piece = (runId: string, text: string, attempt = 1): Delta => ({
  type: "text.delta",
  runId,
  callId: "m1",
  attempt,
  text,
});

test("[29.12] a reader that begins in the middle gets the text from its first word; a new attempt begins again", () => {
  const open = createOpenTexts();
  for (const text of ["First ", "I ", "look"]) open.add(piece("r1", text));
  open.add(piece("r2", "Other"));
  expect(open.of(new Set(["r1"]))).toEqual([{ ...piece("r1", "First I look"), whole: true }]);
  open.add(piece("r1", "Again", 2));
  expect(open.of(new Set(["r1"]))).toEqual([{ ...piece("r1", "Again", 2), whole: true }]);
});

test("[29.12] the memory is bounded: a long text keeps its end, and the oldest text goes first", () => {
  const open = createOpenTexts(4, 10);
  for (const runId of ["r1", "r2", "r3"]) open.add(piece(runId, `${runId}-long`));
  expect(open.of(new Set(["r1", "r2", "r3"])).map(({ runId, text }) => `${runId} ${text}`)).toEqual([
    "r2 long",
    "r3 long",
  ]);
});
