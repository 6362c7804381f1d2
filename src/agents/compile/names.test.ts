import { describe, expect, test } from "vitest";
import { agentId } from "../../journal/agent-id.ts";
import type { Agent } from "../agent.ts";
import { fullName, resolveName } from "./names.ts";

test.each([
  ["Code Reviewer", "code-reviewer"],
  ["ops/Coding", "ops/coding"],
  ["../../etc", "etc"],
  ["Übersetzer 2", "übersetzer-2"],
  [`x${"-".repeat(100_000)}x`, "x"],
])("the id of %.20s", (name, id) => {
  expect(agentId(name)).toBe(id);
});

test.each([
  ["the file's name", undefined, "planner.md", true, "planner"],
  ["in a pack", undefined, "factory/planner.md", true, "factory/planner"],
  ["a name of its own in a pack", "Chief Planner", "factory/p.md", true, "factory/chief-planner"],
  ["a name that says its pack", "factory/Planner", "factory/p.md", true, "factory/planner"],
  ["a name in another product's folder", "Planner", "core/p.md", false, "planner"],
  ["none in another product's folder", undefined, "core/p.agent.md", false, "core/p"],
  ["a chat mode", undefined, "Plan It.chatmode.md", false, "plan-it"],
  ["dots", undefined, "v1.2.md", true, "v1.2"],
  ["a name of nothing", "!!", "a.md", true, "a"],
  ["nothing at all", "!!", "!!.md", true, "agent"],
])("full name: %s", (_, given, below, packs, name) => {
  expect(fullName(given, { below, packs })).toBe(name);
});

describe("which agent a name means", () => {
  const agents = new Map(
    (
      [
        ["planner", "builtin"],
        ["factory/planner", "project"],
        ["team/planner", "project"],
        ["factory/worker", "project"],
        ["ops/coding", "builtin"],
        ["mine/coding", "user"],
        ["x/reviewer", "project", "Chief Reviewer"],
        ["ops/log", "builtin"],
        ["team/log", "builtin"],
      ] as const
    ).map(([name, scope, title]) => [
      name,
      { name, scope, definition: title ? { title } : undefined } as Agent,
    ]),
  );
  const who = (name: string, from?: string) => {
    const found = resolveName({ agents }, name, from === undefined ? undefined : { name: from });
    if (!found) return undefined;
    return "agent" in found ? found.agent.name : found.candidates;
  };

  test.each([
    ["[N5] the agent's own pack comes first", "planner", "factory/worker", "factory/planner"],
    ["an agent never means itself", "planner", "factory/planner", "planner"],
    ["a full name then", "planner", "ops/log", "planner"],
    ["a person has no pack", "planner", undefined, "planner"],
    ["in any spelling", "Factory/Planner", undefined, "factory/planner"],
    ["then base names, the nearest scope first", "coding", undefined, "mine/coding"],
    ["titles too", "chief reviewer", undefined, "x/reviewer"],
    ["several in one scope are ambiguous", "log", undefined, ["ops/log", "team/log"]],
    ["except from the pack of one of them", "log", "ops/coding", "ops/log"],
    ["nobody", "nobody", "factory/worker", undefined],
  ])("%s", (_, name, from, expected) => {
    expect(who(name, from)).toEqual(expected);
  });
});
