import { expect, it } from "vitest";
import { createGate } from "./gate.ts";

it("[E5] lets ordinary steps go side by side, and a suspect's alone, in the order in which they came", async () => {
  const gate = createGate();
  const seen: string[] = [];
  const enter = async (name: string, how: "shared" | "alone") => {
    const leave = await gate.enter(how);
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
