import { expect, test } from "vitest";
import { DECLARED_TOOLS } from "./declared/index.ts";
import { BUILTIN_TOOLS } from "./index.ts";

test("every declared tool is a built-in tool, except the closing tools", () => {
  const declared = DECLARED_TOOLS.filter(({ kind }) => kind !== "closing");
  expect(BUILTIN_TOOLS.map(({ name }) => name)).toEqual(declared.map(({ name }) => name));
});

test("every tool of the kind `loop` has a function that performs it", () => {
  const performed = BUILTIN_TOOLS.filter(({ kind }) => kind === "loop");
  expect(performed.filter(({ perform }) => !perform)).toEqual([]);
});

test("no two tools share a name", () => {
  const names = DECLARED_TOOLS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
});
