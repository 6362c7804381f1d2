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
])("an agent's name is converted to an id: %.20s", (name, id) => {
  expect(agentId(name)).toBe(id);
});

test.each([
  ["a file name", undefined, "planner.md", true, "planner"],
  ["a file in a pack", undefined, "factory/planner.md", true, "factory/planner"],
  ["a name given in a file of a pack", "Chief Planner", "factory/p.md", true, "factory/chief-planner"],
  ["a name that already contains its pack", "factory/Planner", "factory/p.md", true, "factory/planner"],
  ["a name in another product's folder", "Planner", "core/p.md", false, "planner"],
  ["a file in another product's folder that states no name", undefined, "core/p.agent.md", false, "core/p"],
  ["a chat mode", undefined, "Plan It.chatmode.md", false, "plan-it"],
  ["dots", undefined, "v1.2.md", true, "v1.2"],
  ["a name without any usable letter", "!!", "a.md", true, "a"],
  ["neither a name nor a file name", "!!", "!!.md", true, "agent"],
])("the full name of an agent is derived from %s", (_, given, below, packs, name) => {
  expect(fullName(given, { below, packs })).toBe(name);
});

describe("which agent a name refers to", () => {
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
    ["[N5] the pack of the referring agent is tried first", "planner", "factory/worker", "factory/planner"],
    ["an agent never refers to itself", "planner", "factory/planner", "planner"],
    ["a full name is tried second", "planner", "ops/log", "planner"],
    ["a name that a person types belongs to no pack", "planner", undefined, "planner"],
    ["the spelling of a name does not matter", "Factory/Planner", undefined, "factory/planner"],
    ["a base name is tried last, and the nearest scope wins", "coding", undefined, "mine/coding"],
    ["a title is found as well", "chief reviewer", undefined, "x/reviewer"],
    [
      "if several agents of the same scope match, the name is ambiguous",
      "log",
      undefined,
      ["ops/log", "team/log"],
    ],
    [
      "if one of the matching agents is in the same pack, the name is not ambiguous",
      "log",
      "ops/coding",
      "ops/log",
    ],
    ["an unknown name finds no agent", "nobody", "factory/worker", undefined],
  ])("a reference to an agent is resolved: %s", (_, name, from, expected) => {
    expect(who(name, from)).toEqual(expected);
  });
});
