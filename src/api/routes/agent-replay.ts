// Replays the latest runs of an agent with the agent's current file.

import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import type { ApiParts } from "../parts.ts";
import { storedAgentName } from "../views/find-agent.ts";
import { subtreeOf } from "../views/read-runs.ts";
import { sumUsage, totalUsage } from "../views/run-tree.ts";
import { route } from "./route.ts";
import { pageFields, RunUsageView } from "./schemas.ts";

export const AgentReplayQuery = z.strictObject({
  /** How many of the agent's latest runs to replay (default 50). */
  last: pageFields.limit,
});

export const AgentReplayView = z.object({
  agent: z.string(),
  /** The replayed runs, newest first. */
  runs: z.array(
    z.object({
      runId: z.string(),
      task: z.string(),
      createdAt: z.number(),
      /** Usage of the run and its descendants. */
      usage: RunUsageView,
      /** Number of decisions that the replay repeated. */
      decisions: z.int(),
      /** The first event at which the replay differs. Absent if nothing differs. */
      difference: z
        .object({
          seq: z.int(),
          /** A line with `-` was recorded. A line with `+` would be recorded now. */
          changes: z.array(z.object({ what: z.string(), lines: z.array(z.string()) })),
        })
        .exactOptional(),
      /** The reason why this run could not be replayed. */
      problem: z.string().exactOptional(),
    }),
  ),
  /** Number of runs that differ, and their recorded usage. The usage estimates the cost of running them again. */
  again: z.object({ runs: z.int(), usage: RunUsageView }),
});
export type AgentReplayView = z.infer<typeof AgentReplayView>;

export const agentReplayRoute = (parts: ApiParts) =>
  route.get(
    "/api/agents/{name}/replay",
    {
      summary:
        "Which of its latest runs would get another prompt, tools, model or route with its file as it is now",
      query: AgentReplayQuery,
      answer: AgentReplayView,
      allowSlashes: true,
    },
    ({ params: { name }, query: { last } }) => replayLatest(name, last, parts),
  );

const LAST = 50;

async function replayLatest(given: string, last = LAST, parts: ApiParts): Promise<AgentReplayView> {
  const { store } = parts;
  const name = await storedAgentName(parts, given);
  const { runs: rows } = await store.runs.list({ agent: name, limit: last });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const replays = await parts.replayAgent(name, [...byId.keys()]);
  const runs = await Promise.all(
    replays.map(async ({ runId, decisions, difference, problem }) => ({
      ...(await summaryOf(byId.get(runId)!)),
      decisions,
      ...omitUndefined({ difference, problem }),
    })),
  );
  const differing = runs.filter(({ difference }) => difference);
  return {
    agent: name,
    runs,
    again: { runs: differing.length, usage: sumUsage(differing.map(({ usage }) => usage)) },
  };

  async function summaryOf(row: RunRow) {
    const { id: runId, task, createdAt } = row;
    return { runId, task, createdAt, usage: totalUsage(await subtreeOf(store, row)) };
  }
}
