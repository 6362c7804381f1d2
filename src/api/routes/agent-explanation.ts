// An agent without running it: the agents that it can reach, the tools they have, and the worst that could happen.

import { z } from "zod";
import { Effect } from "../../journal/definition.ts";
import { EDGE_KEYS } from "../../patterns/declarations/facts.ts";
import type { ApiParts } from "../parts.ts";
import { route } from "./route.ts";
import { named } from "./schemas.ts";

const Path = z.array(
  z.object({
    /** The key of the agent's file by which one starts the other. */
    key: z.enum(EDGE_KEYS),
    to: z.string(),
  }),
);

const HeldTool = z.object({
  name: z.string(),
  effect: Effect,
  /** Only calls like these. */
  only: z.array(z.string()).exactOptional(),
});

const PlaceLimits = z.object({
  maxTurns: z.number(),
  /** Active milliseconds. */
  maxDuration: z.number(),
  maxDepth: z.number(),
  maxChildren: z.number(),
  maxTokens: z.number().exactOptional(),
  maxCost: z.number().exactOptional(),
});

const Names = z.array(z.string()).readonly();

const Tools = z.array(HeldTool).readonly();

const WayThere = z.object({
  path: Path,
  depth: z.int(),
  models: Names,
  tools: Tools,
  /** Rules with a pattern: they forbid some calls of a tool. */
  deny: Names,
  limits: PlaceLimits,
});

const BlastRadius = z.object({
  changesFiles: z.boolean(),
  runsCommands: z.boolean(),
  reachesNetwork: z.boolean(),
  /** Tools that do more than read, and who holds them. */
  tools: z.array(
    HeldTool.omit({ only: true }).extend({
      by: z.array(z.object({ agent: z.string(), path: Path, only: z.array(z.string()).exactOptional() })),
    }),
  ),
});

export const ExplanationView = named(
  "ExplanationView",
  z.object({
    agent: z.string(),
    /** How people see it, where that is another word. */
    title: z.string().exactOptional(),
    file: z.string(),
    description: z.string(),
    kind: z.enum(["main", "subagent"]),
    /** Its own words are the answer. */
    isTerminal: z.boolean(),
    /** Whose words may be the answer, and how it comes to be theirs. */
    terminals: z.array(z.object({ agent: z.string(), path: Path })),
    models: Names,
    /** The program that does its work: what it does without asking, only its sandbox holds. */
    runner: z.string().exactOptional(),
    tools: Tools,
    limits: PlaceLimits,
    reachable: z.array(z.object({ agent: z.string(), ways: z.array(WayThere) })),
    /** Ways that are not gone: the agent at the end of each is not started. */
    stops: z.array(z.object({ path: Path, why: z.enum(["max-depth", "on-the-path", "broken", "too-many"]) })),
    blastRadius: BlastRadius,
    /** `capped`: the tree's own limit is what holds it. */
    worstCase: z.object({
      runs: z.number(),
      turns: z.number(),
      /** Dollars; absent: somebody on the way may spend without a limit of its own. */
      maxCost: z.number().exactOptional(),
      capped: z.boolean(),
    }),
  }),
);
export type ExplanationView = z.infer<typeof ExplanationView>;

export const agentExplanationRoute = (parts: Pick<ApiParts, "explain">) =>
  route(
    {
      method: "get",
      path: "/api/agents/{name}/explain",
      summary: "Whom it can reach, what they may call there, and the worst that could come of it",
      answer: ExplanationView,
      allowSlashes: true,
    },
    ({ params: { name } }) => parts.explain(name),
  );
