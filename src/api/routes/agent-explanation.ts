// Explains an agent without running it: the agents it can reach, their tools, and how many runs and turns they could take at most.

import type { z } from "zod";
import { Explanation } from "../../agents/explain/explanation-schema.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";
import { named } from "./schemas.ts";

export const ExplanationView = named("ExplanationView", Explanation);
export type ExplanationView = z.infer<typeof ExplanationView>;

export const agentExplanationRoute = (parts: Pick<ApiParts, "explain">) =>
  route.get(
    "/api/agents/{name}/explain",
    {
      summary: "The agents that it can reach, their tools, and the worst case",
      answer: ExplanationView,
      allowSlashes: true,
    },
    ({ params: { name } }) => parts.explain(name),
  );
