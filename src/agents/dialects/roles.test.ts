import { expect, test } from "vitest";
import type { Data } from "../../config/yaml.ts";
import { codesOf, plain, translateAll } from "./dialect.fixture.ts";
import { rolesDialect } from "./index.ts";

const translate = (data: Data) => translateAll(rolesDialect, JSON.stringify(data, null, 1), "roles.json");

const MAIN = {
  RoleId: "main",
  DisplayName: "Main Agent",
  ModelId: "qwen/qwen3-coder-30b",
  SystemPromptFile: "prompts/roles/main.md",
  CanDelegate: true,
  AllowedDelegations: ["coder"],
  MaxIterations: 50,
  MaxDurationMs: 600_000,
};

test("[S2] a role's own values take precedence over the wrapper's defaults", () => {
  const [main, coder] = translate({
    AgentRoles: {
      MaxDepth: 2,
      DefaultMaxIterations: 20,
      DefaultMaxDurationMs: 300_000,
      Roles: [MAIN, { RoleId: "coder", CanDelegate: false, AllowedDelegations: ["main"] }],
    },
  });
  expect(plain(main!.keys)).toEqual({
    name: "main",
    title: "Main Agent",
    model: "qwen/qwen3-coder-30b",
    agents: ["coder"],
    delegation: { tool: "delegate_to_agent" },
    context: "full",
    limits: { maxTurns: 50, maxDuration: 600_000, maxDepth: 2 },
  });
  expect(main!.promptFile).toBe("prompts/roles/main.md");
  expect(main!.from["model"]).toEqual(["AgentRoles", "Roles", 0, "ModelId"]);
  expect(plain(coder!.keys)).toEqual({
    name: "coder",
    agents: [],
    context: "full",
    limits: { maxTurns: 20, maxDuration: 300_000, maxDepth: 2 },
  });
  expect([...codesOf(main!), ...codesOf(coder!)]).toEqual([]);
});

test("[S2] a list of roles without a wrapper is accepted, and so are camel case keys", () => {
  const [one] = translate({
    Roles: [{ roleId: "one", systemPrompt: "Do it.", maxIterations: 3, context: "none" }],
  });
  expect(plain(one!.keys)).toEqual({ name: "one", context: "none", limits: { maxTurns: 3 } });
  expect(one!.body).toBe("Do it.");
});

test.each<[role: Data, codes: string[]]>([
  [{ RoleId: "a", CanDelegate: true }, ["AGENTS_UNNAMED"]],
  [{ RoleId: "a", CanDelegate: "no" }, ["BAD_AGENTS"]],
  [{ RoleId: "a", AllowedDelegations: [1] }, ["BAD_AGENTS"]],
  [{ RoleId: "a", SystemPromptFile: "../../etc/passwd" }, ["PROMPT_OUTSIDE"]],
  [{ RoleId: "a", MaxIterations: "lots" }, ["VALUE_IGNORED"]],
  ["text", ["BAD_ROLES"]],
])("[S2] an invalid role is reported: %j", (role, codes) => {
  const [result] = translate({ AgentRoles: { Roles: [role] } });
  expect(codesOf(result!)).toEqual(codes);
  expect(result!.keys["agents"] ?? []).toEqual([]);
});

test("[S2] a wrong default in the wrapper is reported only once, at its position", () => {
  const results = translate({
    MaxDept: 2,
    DefaultMaxIterations: "x",
    Roles: [{ RoleId: "a" }, { RoleId: "b" }],
  });
  expect(results.map(codesOf)).toEqual([["UNKNOWN_KEY", "VALUE_IGNORED"], []]);
  expect(results[0]!.problems[0]).toMatchObject({ line: 2, suggestion: "did you mean `MaxDepth`?" });
});

test("[S2] a wrapper without roles is an error", () => {
  for (const data of [{ AgentRoles: 5 }, { AgentRoles: {} }, { Roles: "x" }, { Roles: [] }])
    expect(translate(data).map(codesOf)).toEqual([["BAD_ROLES"]]);
});
