// Explains an agent without running it: the agents it can start, their tools, and the maximum number of runs and turns.

import type { z } from "zod";
import { Explanation } from "../../agents/explain/explanation-schema.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";
import { nameSchema } from "./schemas.ts";

export const ExplanationView = nameSchema("ExplanationView", Explanation);
export type ExplanationView = z.infer<typeof ExplanationView>;

export const agentExplanationRoute = (parts: Pick<ApiParts, "explain" | "people">) =>
  route.get(
    "/api/agents/{name}/explain",
    {
      summary: "The agents that it can reach, their tools, and the worst case",
      answer: ExplanationView,
      allowSlashes: true,
    },
    async ({ params: { name } }) => parts.people.mask.value(await parts.explain(name)),
  );
