// Servers that an agent names and nobody has.

import { expect, test } from "vitest";
import { agentSet, type Said } from "../agent-set.fixture.ts";
import { checkAgents } from "./index.ts";

function problems(said: Said, servers: string[] | undefined): string[] {
  const agents = agentSet({ a: said });
  checkAgents(agents, [], { servers });
  return agents.get("a")!.problems.map(({ message, suggestion }) => `${message}: ${suggestion}`);
}

const tools = (...allow: string[]) => ({ tools: { allow, ask: [], deny: [] } });

test("a server that is not declared is said, with the one that was probably meant", () => {
  expect(problems({ mcpServers: ["gti", "git"] }, ["git"])).toEqual([
    "no MCP server is called `gti`: did you mean `git`?",
  ]);
  expect(problems(tools("mcp__docs__search", "mcp__docs__*", "Read"), ["git"])).toEqual([
    "no MCP server is called `docs`: declare it in cadre.yaml's `mcpServers`",
  ]);
});

test("wildcards, our own names and what is declared are fine; nothing is said where servers are not known", () => {
  expect(
    problems(tools("mcp__*__*", "mcp__*", "mcp__agent__spawn", "mcp__admin__*", "mcp__git__log"), ["git"]),
  ).toEqual([]);
  expect(problems({ mcpServers: ["x"] }, undefined)).toEqual([]);
});
