// Finds runs that wait for a command such as `cadre resume`. Answering a question does not continue such a run.

import type { WaitingOn } from "../../journal/events.ts";
import type { CadreClient } from "../client/client.ts";
import type { RunSummary, RunTree } from "../client/types.ts";

export const NEEDS_COMMAND: ReadonlySet<WaitingOn["kind"] | undefined> = new Set([
  "paused",
  "quarantine",
  "definition_changed",
  "storage",
] as const);

/** Finds the runs in a tree that need a command. Returns an empty list if any run in the tree can continue without a command. */
export async function runsNeedingCommand(client: CadreClient, runId: string): Promise<RunSummary[]> {
  const live = allOf(await client.get("/api/runs/{id}/tree", { id: runId })).filter(
    ({ endedAt }) => endedAt === undefined,
  );
  const rests = live.every(
    ({ status, waitingOn }) =>
      status === "suspended" || waitingOn?.kind === "child" || waitingOn?.kind === "handoff",
  );
  return rests ? live.filter(({ waitingOn }) => NEEDS_COMMAND.has(waitingOn?.kind)) : [];
}

const allOf = (top: RunTree): RunTree[] => [top, ...top.children.flatMap(allOf)];
