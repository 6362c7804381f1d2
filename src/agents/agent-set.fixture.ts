// Builds a set of agents for tests. As in a loaded set, references are resolved and names are full names.
// Each key of an agent gets its own line number in an imaginary file.

import type { Definition } from "../journal/definition.ts";
import type { Agent } from "./agent.ts";
import { edgesOf } from "./explain/edges.ts";

export type Said = Partial<Definition>;

const KEYS = ["kind", "policy", "tools", "agents", "delegation", "context", "handoff", "router", "advisors"];
const MORE_KEYS = ["team", "bestOf", "steps", "input", "output", "limits"];
const LINES = [...KEYS, ...MORE_KEYS];

export function agentSet(said: Readonly<Record<string, Said>>): Map<string, Agent> {
  return new Map(Object.entries(said).map(([name, keys]) => [name, agentOf(name, keys)]));
}

function agentOf(name: string, said: Said): Agent {
  const file = `agents/${name}.md`;
  const definition: Definition = {
    name,
    description: `Does ${name}.`,
    kind: "main",
    models: ["scripted/x"],
    prompt: "Do it.",
    tools: { ask: [], deny: [] },
    permissions: { ask: [], deny: [] },
    agents: [],
    limits: {},
    source: { file, hash: "0" },
    ...said,
  };
  const at = (key: string) => ({ line: LINES.indexOf(key) + 2, column: 1 });
  const references = edgesOf(definition).map(({ key, to }, index) => ({
    key,
    name: to,
    agent: to,
    line: at(key).line,
    column: 10 + index,
  }));
  return { name, file, definition, dialect: "cadre", scope: "project", references, problems: [], at };
}

export const team = (members: string[], more: Partial<NonNullable<Definition["team"]>> = {}) => ({
  members,
  termination: ["consensus" as const],
  maxRounds: 10,
  memberMaxTurns: 5,
  ...more,
});

export const handoff = (agent: string) => ({ agent, onFailure: "fail" as const });

export const router = (destinations: string[], more: Partial<NonNullable<Definition["router"]>> = {}) => ({
  destinations,
  allowAnswer: false,
  ...more,
});

export const advisors = (agents: string[], require: "any" | "all" | number = "any") => ({ agents, require });
