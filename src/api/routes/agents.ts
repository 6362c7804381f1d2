// The agents that can be run, and what is wrong with those that cannot.

import type { z } from "zod";
import { CadreError } from "../../errors.ts";
import { ExplanationView } from "../explanation.ts";
import type { ApiParts, ListedAgent } from "../parts.ts";
import { type Route, route } from "../route.ts";
import type { AgentView } from "../schema.ts";
import { AgentDetail, Agents } from "../wire.ts";

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
      () => listOf(parts),
    ),
    route(
      {
        method: "post",
        path: "/api/agents/reload",
        summary: "All agents, read from disk now; they are anyway when one is needed",
        answer: Agents,
      },
      () => listOf(parts),
    ),
    route(
      { method: "get", path: "/api/agents/{name}", summary: "One agent", answer: AgentDetail, polled: true },
      async ({ params: { name } }) => {
        const { agents } = await parts.agents();
        const agent = agents.get(name);
        if (!agent) throw new CadreError("NOT_FOUND", `There is no agent ${name}.`);
        const { definition } = agent;
        return { ...viewOf(agent), ...(definition ? { definition: { ...definition } } : {}) };
      },
    ),
    route(
      {
        method: "get",
        path: "/api/agents/{name}/explain",
        summary: "Whom it can reach, what they may call there, and the worst that could come of it",
        answer: ExplanationView,
      },
      ({ params: { name } }) => parts.explain(name),
    ),
  ];
}

async function listOf(parts: ApiParts): Promise<z.input<typeof Agents>> {
  const { agents, problems } = await parts.agents();
  const listed = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const own = new Set(listed.flatMap((agent) => agent.problems));
  return { agents: listed.map(viewOf), problems: problems.filter((problem) => !own.has(problem)) };
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
