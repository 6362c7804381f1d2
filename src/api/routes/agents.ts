// The agents that can be run, and what is wrong with those that cannot.

import { Agents } from "../answers.ts";
import type { ApiParts, ListedAgent } from "../parts.ts";
import { type Route, route } from "../route.ts";
import type { AgentView } from "../schema.ts";

export function agentRoutes(parts: ApiParts): Route[] {
  return [
    route(
      {
        method: "get",
        path: "/api/agents",
        summary: "All agents, and what is wrong",
        answer: Agents,
        polled: true,
      },
      async () => {
        const { agents, problems } = await parts.agents();
        const listed = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
        const own = new Set(listed.flatMap((agent) => agent.problems));
        return { agents: listed.map(viewOf), problems: problems.filter((problem) => !own.has(problem)) };
      },
    ),
  ];
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
