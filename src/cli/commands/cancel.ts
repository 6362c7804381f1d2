// `cadre cancel RUN`: cancels a run and its descendants, and waits until all have ended.
// The command reports a run as stopped only after the run has ended (U41). If no process drives the runs, it ends them itself.

import { setTimeout as pause } from "node:timers/promises";
import type { CadreClient } from "../../api/client/client.ts";
import type { RunTree } from "../../api/client/types.ts";
import { TERMINAL_TYPES } from "../../journal/events.ts";
import { plural } from "../../projections/words/format.ts";
import { type Connection, connect, isConnectionLost } from "../connection/connect.ts";
import { type Invocation, report } from "../invocation.ts";
import { watchShutdown } from "../terminal/shutdown.ts";
import { withLiveScreen } from "../terminal/with-live-screen.ts";
import { allNodes } from "../view/text/branches.ts";
import { fitLines } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";

/** Longest time to wait for the runs to end. Drivers kill the processes of cancelled tools sooner than that. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

export const cancel = (invocation: Invocation, id: string, options: { reason?: string }): Promise<number> =>
  withLiveScreen(invocation, (live) => cancelTree(live, id, options));

async function cancelTree(
  invocation: Invocation,
  id: string,
  { reason }: { reason?: string },
): Promise<number> {
  const { folder, io, screen } = invocation;
  const leaving = watchShutdown(io);
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(PATIENCE_MS)]);
  let cancelled: readonly string[] | undefined;
  let stop: Stop | undefined;
  try {
    for (;;) {
      const connection = await connect({ folder, io, drive: false });
      try {
        // If the owner exits, this loop runs again with a new connection. `??=` keeps the first result, so the run is not cancelled twice.
        cancelled ??= (await connection.client.post("/api/runs/{id}/cancel", { id, body: { reason } }))
          .cancelled;
        stop ??= await begin(connection.client, id, cancelled, invocation);
        await carryOut(stop, connection, signal, invocation);
        stop.stuck = connection.isOwner && !signal.aborted;
        if (stop.left.size === 0 || stop.stuck || signal.aborted) break;
      } catch (error) {
        if (!isConnectionLost(error) || signal.aborted) throw error;
      } finally {
        await connection.close();
      }
      // The current owner of the store does not drive runs. It will exit soon, so this command connects again.
      await pause(PAUSE_MS);
    }
  } finally {
    leaving.dispose();
  }
  return report(invocation, stopJson(stop), fitLines(endLines(stop, invocation), screen));
}

interface Stop {
  top: RunTree;
  /** The cancelled run and its descendants, which this command must end. */
  reached: readonly RunTree[];
  /** Ids of the runs that have not ended yet. */
  left: Set<string>;
  /** True if runs remain that this command could not end. */
  stuck: boolean;
}

async function begin(
  client: CadreClient,
  id: string,
  cancelled: readonly string[],
  { json, screen }: Invocation,
): Promise<Stop> {
  const top = await client.get("/api/runs/{id}/tree", { id });
  const all = allNodes(top);
  const isToEnd = (run: RunTree): boolean => run.cancelRequested && run.endedAt === undefined;
  const reached = all.filter((run) => isToEnd(run) || cancelled.includes(run.id));
  const before = all.length - reached.length;
  const ended = before === 0 ? "" : ` (${before} had already ended)`;
  if (!json)
    screen.line(`Stopping ${reached.length} of ${plural(all.length, "run")}: ${namesOf(reached)}${ended}`);
  return { top, reached, left: new Set(reached.map((run) => run.id)), stuck: false };
}

/** Waits until all runs have ended, the time is up or the person presses Ctrl-C. Returns early if no process can end the runs. */
async function carryOut(
  { top, reached, left }: Stop,
  { client, endCancelled }: Connection,
  signal: AbortSignal,
  { json, screen }: Invocation,
): Promise<void> {
  const noteEnd = (runId: string): void => {
    left.delete(runId);
    const line = `Stopping… ${reached.length - left.size} of ${reached.length} have stopped`;
    if (!json) screen.live(() => ({ lines: [], status: screen.paint("dim", line) }));
  };
  const look = async (): Promise<void> => {
    for (const run of allNodes(await client.get("/api/runs/{id}/tree", { id: top.id })))
      if (run.endedAt !== undefined) noteEnd(run.id);
  };
  const over = new AbortController();
  try {
    await look();
    if (left.size === 0 || !(endCancelled || (await client.get("/api/health")).drives)) return;
    const ending = endCancelled?.([...left], signal).finally(() => over.abort());
    const followed = AbortSignal.any([signal, over.signal]);
    for await (const item of client.follow({ runId: top.id, tree: true, signal: followed }))
      if (item.type === "event" && TERMINAL_TYPES.has(item.event.type)) noteEnd(item.event.runId);
    await ending;
    await look();
  } finally {
    screen.live(undefined);
  }
}

function stopJson({ reached, left }: Stop) {
  const cancelled = reached.map(({ id }) => id);
  return { cancelled, ended: cancelled.filter((id) => !left.has(id)) };
}

function endLines({ top, reached, left, stuck }: Stop, { commandLine }: Invocation): string[] {
  const still = reached.filter((run) => left.has(run.id));
  const [first] = still;
  const which = `${left.size} of ${reached.length}: ${namesOf(still)}.`;
  if (first && stuck)
    return [`Cannot be ended, but does nothing: ${which} See why: ${commandLine(`show ${first.id}`)}`];
  if (first) return [`Still stopping ${which} Look again: ${commandLine(`show ${top.id}`)}`];
  const above = top.parentRunId;
  return [
    "Stopped: all runs have ended.",
    ...(above === undefined ? [] : [`The parent run was told: ${commandLine(`show ${above}`)}`]),
  ];
}

/** Lists the agents with their counts, for example `supervisor, 3 × worker`. */
function namesOf(runs: readonly { agent: string }[]): string {
  const counts = new Map<string, number>();
  for (const { agent } of runs) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return [...counts]
    .map(([agent, many]) => `${many === 1 ? "" : `${many} × `}${plainLine(agent)}`)
    .join(", ");
}
