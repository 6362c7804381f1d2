// `cadre tail RUN`: prints what happened in a run and its descendants, then follows them to the end. This command never drives runs.
// If no process drives the run, `tail` says so instead of waiting. If the driving process exits, `tail` waits a while for its successor.

import { capitalize, shownStatus } from "../../projections/words/statuses.ts";
import { rewriteCommands } from "../command-line.ts";
import { connect, isConnectionLost } from "../connection/connect.ts";
import { exitCodeOf, leavingLines } from "../follow/report-result.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { watchShutdown } from "../terminal/shutdown.ts";
import { createView, withLiveScreen } from "../terminal/with-live-screen.ts";
import { driverCommands, noDriverText } from "../view/drivers.ts";
import type { LiveView } from "../view/live/live-view.ts";
import { endsLaterText, neededLines, retryLines, showAgainLine, summaryLines } from "../view/summary.ts";
import { fitLines } from "../view/text/fit.ts";

const TICK_MS = 500;

export const tail = (invocation: Invocation, id: string): Promise<number> =>
  withLiveScreen(invocation, (live) => follow(live, id));

async function follow(invocation: Invocation, id: string): Promise<number> {
  const leaving = watchShutdown(invocation.io);
  const view = createView(invocation, "lines");
  const ticker = setInterval(() => view.tick(Date.now()), TICK_MS);
  let left: Left | undefined;
  try {
    for (;;) {
      const answer = await watch(invocation, id, view, leaving.signal, left);
      if (leaving.signal.aborted) return sayLeft(invocation, id, leaving.exitCode());
      if (typeof answer === "number") return answer;
      left = answer;
    }
  } finally {
    clearInterval(ticker);
    leaving.dispose();
  }
}

function sayLeft({ json, screen, commandLine }: Invocation, id: string, code: number): number {
  if (!json) for (const line of fitLines(leavingLines(id, commandLine), screen)) screen.line(line);
  return code;
}

/** The position of the last event that was shown. After a reconnect, `tail` continues from there. */
interface Left {
  position: number | undefined;
}

async function watch(
  { folder, io, json, screen, commandLine }: Invocation,
  id: string,
  view: LiveView,
  signal: AbortSignal,
  left: Left | undefined,
): Promise<number | Left> {
  const after = left?.position;
  let position = after;
  const connection = await connect({ folder, io, drive: false, waitsForOwner: left !== undefined });
  const { client } = connection;
  try {
    const { id: runId } = await client.get("/api/runs/{id}", { id });
    const health = await client.get("/api/health");
    // On Postgres every command is an owner, but workers in other processes might still drive the runs.
    const isAlone = connection.isOwner && !health.drives;
    if (isAlone) {
      for (const event of await client.treeEvents(runId, after)) view.event(event);
    } else {
      const place = after === undefined ? {} : { after };
      for await (const item of client.follow({ runId, tree: true, signal, ...place })) {
        if (item.type === "delta") view.delta(item.delta);
        if (item.type !== "event") continue;
        view.event(item.event);
        position = item.event.position;
      }
    }
    view.clear();
    if (signal.aborted) return EXIT.done;
    const run = await client.get("/api/runs/{id}", { id: runId });
    const isToStop = shownStatus(run, !isAlone) === "cancel_pending";
    const code = isToStop ? EXIT.cancelled : exitCodeOf(run);
    if (json) return code;
    if (run.endedAt !== undefined) {
      for (const line of summaryLines(run, screen, { said: view.lastWords() })) screen.line(line);
      for (const line of retryLines(run, commandLine)) screen.line(line);
      screen.line(showAgainLine(runId, commandLine, screen.paint));
    } else if (isAlone) {
      const needed = neededLines(
        (await client.get("/api/approvals", { run: runId })).approvals,
        commandLine,
        screen,
      );
      const next = `${capitalize(noDriverText(health))}, so there will be no more events: ${rewriteCommands(driverCommands(health), commandLine)} continues it.`;
      const lines = [...needed, "", isToStop ? endsLaterText(runId, health, commandLine) : next];
      for (const line of fitLines(lines, screen)) screen.line(line);
    }
    return code;
  } catch (error) {
    if (isConnectionLost(error) && !signal.aborted) return { position };
    if (signal.aborted) return EXIT.done;
    throw error;
  } finally {
    await connection.close();
  }
}
