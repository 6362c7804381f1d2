// The agents that can be run, and what is wrong with those that cannot.

import { Hono } from "hono";
import type { ApiParts, ListedAgent } from "../parts.ts";
import { readQuery } from "../request.ts";
import { type AgentView, NoQuery } from "../schema.ts";

export function agentRoutes(parts: ApiParts): Hono {
  return new Hono().get("/", async (c) => {
    readQuery(c, NoQuery);
    const { agents, problems } = await parts.agents();
    const listed = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const own = new Set(listed.flatMap((agent) => agent.problems));
    return c.json({
      agents: listed.map(viewOf),
      /** Of files that became no agent. */
      problems: problems.filter((problem) => !own.has(problem)),
    });
  });
}

function viewOf({ name, file, definition, problems }: ListedAgent): AgentView {
  const { title, description = "", kind, models = [] } = definition ?? {};
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    ...(kind === undefined ? {} : { kind }),
    models,
    file,
    problems: [...problems],
  };
}
