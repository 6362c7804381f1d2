// Tests how a model's input is checked against an untrusted schema: which problems are reported, and how long the check takes.

import { describe, expect, test } from "vitest";
import { checkInput } from "./check-input.ts";

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});

const problemsOf = (schema: Record<string, unknown>, input: unknown): string[] =>
  checkInput(schema, input).map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("problems that the check reports", () => {
  test.each<[Record<string, unknown>, unknown, string[]]>([
    [object({ a: { type: "string" } }, { required: ["a"] }), {}, ["a: is missing"]],
    [object({ a: { type: "string" } }), { a: 1 }, ["a: must be string"]],
    [object({ a: { type: ["string", "null"] } }), { a: null }, []],
    [object({ a: { type: "integer", minimum: 1, maximum: 3 } }), { a: 4 }, ["a: must be at most 3"]],
    [object({ a: { type: "integer" } }), { a: 1.5 }, ["a: must be integer"]],
    [object({ a: { enum: ["x", "y"] } }), { a: "z" }, ['a: must be one of ["x","y"]']],
    [object({ a: { const: 1 } }), { a: 2 }, ["a: must be 1"]],
    [
      object({ a: { type: "string", minLength: 2, maxLength: 3 } }),
      { a: "x" },
      ["a: must have at least 2 characters"],
    ],
    [object({ a: { type: "string", pattern: "^\\d+$" } }), { a: "x" }, ["a: must match ^\\d+$"]],
    [
      object({ a: { type: "array", items: { type: "number" }, maxItems: 2 } }),
      { a: [1, "x"] },
      ["a.1: must be number"],
    ],
    [object({}, { additionalProperties: false }), { b: 1 }, ["b: is not known"]],
    [object({}, { additionalProperties: { type: "number" } }), { b: "x" }, ["b: must be number"]],
    [
      object({ a: { anyOf: [{ type: "string" }, { type: "null" }] } }),
      { a: 1 },
      ["a: fits none of the forms that are allowed"],
    ],
    [object({ a: { oneOf: [{ type: "string" }, { type: "null" }] } }), { a: "x" }, []],
    [
      object({ a: { allOf: [{ type: "string" }, { maxLength: 1 }] } }),
      { a: "xx" },
      ["a: must have at most 1 characters"],
    ],
    [
      object({ a: { $ref: "#/$defs/n" } }, { $defs: { n: { type: "number" } } }),
      { a: "x" },
      ["a: must be number"],
    ],
    [object({ a: false }), { a: 1 }, ["a: is not allowed"]],
    [object({ a: { $ref: "https://evil.test/schema" } }), { a: 1 }, []],
    [object({ a: { $ref: "#/constructor" } }), { a: 1 }, []],
  ])("for the schema %j, the input %j gets the expected problem", (schema, input, problems) => {
    expect(problemsOf(schema, input)).toEqual(problems);
  });
});

describe("[A54] hostile schemas", () => {
  const within = (ms: number, work: () => void): void => {
    const from = performance.now();
    work();
    expect(performance.now() - from).toBeLessThan(ms);
  };

  test("a pattern with catastrophic backtracking is checked quickly", () => {
    const schema = object({
      a: { type: "string", pattern: "(a+)+$" },
      b: { type: "array", items: { pattern: "(a|aa)+$" } },
    });
    const text = `${"a".repeat(9_000)}!`;
    within(2_000, () => {
      expect(problemsOf(schema, { a: text })).toEqual(["a: must match (a+)+$"]);
      problemsOf(schema, { b: Array.from({ length: 5_000 }, () => text) });
    });
  });

  test("a pattern is ignored if Cadre's regular expression engine does not support it", () => {
    expect(problemsOf(object({ a: { pattern: "(?=x)y" } }), { a: "z" })).toEqual([]);
  });

  test("schemas that refer to themselves are checked quickly", () => {
    const loop = {
      $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
      ...object({ x: { $ref: "#/$defs/a" } }),
    };
    expect(problemsOf(loop, { x: 1 })).toEqual([]);
    const wide = {
      type: "object",
      anyOf: Array.from({ length: 10 }, () => ({ $ref: "#" })),
      allOf: [{ $ref: "#" }],
    };
    let input: Record<string, unknown> = {};
    for (let level = 0; level < 5_000; level++) input = { a: input };
    const tree = { type: "object", properties: { a: { $ref: "#" } } };
    within(2_000, () => {
      problemsOf(wide, {});
      problemsOf(tree, input);
    });
  });
});
