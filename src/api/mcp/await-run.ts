// Lets a tool call wait until a run has ended or needs a person (S1-20). The call sends progress to clients that asked for it.

import { TERMINAL_TYPES } from "../../journal/events.ts";
import { SELF_RESUMING } from "../../projections/folds/run-row.ts";
import type { CadreClient } from "../client/client.ts";
import type { McpCall, WithClient } from "./tool.ts";

/** Many clients give up after 60 seconds without an answer or progress. */
const SILENT_MS = 50_000;
const WITH_PROGRESS_MS = 30 * 60_000;
const HEARTBEAT_MS = 10_000;

/** Returns earlier if the client cancels the call, or if the call has lasted too long. The run continues. */
export async function awaitRun(runId: string, ask: WithClient, { signal, progress }: McpCall): Promise<void> {
  const limit = AbortSignal.timeout(progress ? WITH_PROGRESS_MS : SILENT_MS);
  const heartbeat = setInterval(() => progress?.("The run is at work."), HEARTBEAT_MS);
  try {
    await ask((client) => untilRest(client, runId, AbortSignal.any([signal, limit]), progress));
  } finally {
    clearInterval(heartbeat);
  }
}

async function untilRest(
  client: CadreClient,
  runId: string,
  signal: AbortSignal,
  progress: McpCall["progress"],
): Promise<void> {
  for await (const item of client.follow({ runId, tree: true, signal })) {
    if (item.type !== "event") continue;
    const { event } = item;
    progress?.(`${event.type} in run ${event.runId}`);
    if (event.runId !== runId) continue;
    const needsPerson = event.type === "RUN_SUSPENDED" && !SELF_RESUMING.has(event.payload.waitingOn.kind);
    if (needsPerson || TERMINAL_TYPES.has(event.type)) return;
  }
}
