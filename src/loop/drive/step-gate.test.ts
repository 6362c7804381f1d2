import { expect, it } from "vitest";
import { createStepGate } from "./suspects.ts";

it("[E5] ordinary steps pass the gate in parallel, the step of a suspect run passes alone, and the order of arrival is kept", async () => {
  const gate = createStepGate();
  const seen: string[] = [];
  const never = new AbortController().signal;
  const enter = async (name: string, how: "shared" | "alone", left = never) => {
    const leave = await gate.enter(how, left);
    seen.push(name);
    return leave;
  };
  const first = await enter("a", "shared");
  const second = await enter("b", "shared");
  const suspect = enter("suspect", "alone");
  const third = enter("c", "shared");
  first();
  await Promise.resolve();
  expect(seen).toEqual(["a", "b"]);
  second();
  const leave = await suspect;
  expect(seen).toEqual(["a", "b", "suspect"]);
  leave();
  (await third)();
  expect(seen).toEqual(["a", "b", "suspect", "c"]);
});

it("[P7] a cancelled or stopped run does not wait at the gate", async () => {
  const gate = createStepGate();
  const leave = await gate.enter("alone", new AbortController().signal);
  const left = new AbortController();
  const waiting = gate.enter("shared", left.signal);
  const next = gate.enter("shared", new AbortController().signal);
  left.abort();
  (await waiting)();
  leave();
  (await next)();
});
