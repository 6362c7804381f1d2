import { expect, test } from "vitest";
import { draftOf } from "./draft.ts";

test("[U23] a draft shows strings as text and other values as JSON, and reports invalid JSON", () => {
  const draft = draftOf({ path: "a", content: "one\n", force: true });
  expect(draft.fields.map(({ name, text }) => [name, text])).toEqual([
    ["path", "a"],
    ["content", "one\n"],
    ["force", "true"],
  ]);
  expect(draft.fields[draft.main]!.name).toBe("content");
  expect(draft.with("content", "true").input).toEqual({ path: "a", content: "true", force: true });
  expect(draft.with("force", "fal")).toMatchObject({ input: undefined, problem: "force is not valid JSON." });
  expect(draft.with("force", "fal").with("force", "false").input).toMatchObject({ force: false });
  expect(draftOf([1]).with("input (JSON)", "[2]").input).toEqual([2]);
});
