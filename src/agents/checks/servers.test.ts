// Tests agents that name an MCP server which cadre.yaml does not declare.

import { expect, test } from "vitest";
import { agentSet, type Said } from "../agent-set.fixture.ts";
import { checkAgents } from "./index.ts";

function problems(said: Said, servers: string[] | undefined): string[] {
  const agents = agentSet({ a: said });
  checkAgents(agents, [], { servers });
  return agents.get("a")!.problems.map(({ message, suggestion }) => `${message}: ${suggestion}`);
}

const tools = (...allow: string[]) => ({ tools: { allow, ask: [], deny: [] } });

test("the report of an undeclared server suggests the most similar declared name", () => {
  expect(problems({ mcpServers: ["gti", "git"] }, ["git"])).toEqual([
    "no MCP server is called `gti`: did you mean `git`?",
  ]);
  expect(problems(tools("mcp__docs__search", "mcp__docs__*", "Read"), ["git"])).toEqual([
    "no MCP server is called `docs`: declare it in cadre.yaml's `mcpServers`",
  ]);
});

test("wildcards, built-in prefixes and declared servers are accepted; if the servers are not known, nothing is reported", () => {
  expect(
    problems(tools("mcp__*__*", "mcp__*", "mcp__agent__spawn", "mcp__admin__*", "mcp__git__log"), ["git"]),
  ).toEqual([]);
  expect(problems({ mcpServers: ["x"] }, undefined)).toEqual([]);
});
