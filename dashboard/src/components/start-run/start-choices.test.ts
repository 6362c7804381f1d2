import { expect, test } from "vitest";
import { startChoices } from "./start-choices.ts";

test("[26.10] a start list has the project's and the user's own main agents apart from built-in ones", () => {
  const agent = (
    name: string,
    scope: "project" | "user" | "builtin",
    kind: "main" | "subagent" = "main",
  ) => ({
    name,
    scope,
    kind,
  });
  const { own, builtIn } = startChoices([
    agent("assistant", "builtin"),
    agent("writer", "project"),
    agent("ops/lead", "builtin"),
    agent("pack/lead", "project"),
    agent("notes", "user"),
    agent("helper", "project", "subagent"),
  ]);
  expect(own.map(({ name }) => name)).toEqual(["notes", "pack/lead", "writer"]);
  expect(builtIn.map(({ name }) => name)).toEqual(["assistant", "ops/lead"]);
});
