// `cadre cancel RUN`: ends a run and everything below it. Says what it reached, waits until all of that has ended, and
// never says "stopped" of something that is not (U41).

import { TERMINAL_TYPES } from "../../journal/events.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { watchLeaving } from "../leaving.ts";
import { allOf } from "../view/branches.ts";
import { count } from "../view/format.ts";
import { jsonLine, plainLine } from "../view/plain.ts";
import type { Screen } from "../view/screen.ts";

/** Longer than a process that is told to stop may take before it is killed. */
const PATIENCE_MS = 30_000;

export async function cancel(
  { folder, io, json, screen, at }: Invocation,
  id: string,
  { reason }: { reason?: string },
): Promise<number> {
  const place = { folder, env: io.env };
  let reachedBefore: string[] | undefined;
  const { all, cancelled, drives } = await withClient(place, async (client) => {
    // The owner may leave with its run before the next question: the run is not cancelled twice.
    reachedBefore ??= (await client.cancel(id, reason)).cancelled;
    const { drives } = await client.health();
    return { all: allOf(await client.tree(id)), cancelled: reachedBefore, drives };
  });
  const say = (line: string): void => (json ? undefined : screen.line(line));
  const later = "no Cadre process is running here: it ends at the next `cadre run`";
  const reached = all.filter((run) => cancelled.includes(run.id));
  if (!drives) {
    const of = cancelled.length > 1 ? ` for ${count(cancelled.length, "run")}` : "";
    say(`Cancel recorded${of}; ${later}.`);
    if (json) screen.line(jsonLine({ cancelled, ended: [] }));
    return EXIT.done;
  }
  say(
    `Stopping ${reached.length} of ${count(all.length, "run")}: ${namesOf(reached)}${endedBefore(all, reached)}`,
  );
  const top = all[0]!.id;
  const left = await waitForEnds(place, top, cancelled, json ? undefined : screen);
  if (json) screen.line(jsonLine({ cancelled, ended: cancelled.filter((run) => !left.has(run)) }));
  const still = namesOf(reached.filter((run) => left.has(run.id)));
  say(
    left.size === 0
      ? "Stopped: all of them have ended, and nothing of it is running."
      : `Still stopping ${left.size} of ${cancelled.length}: ${still}. Look again: cadre show ${top}${at}`,
  );
  return EXIT.done;
}

function endedBefore(all: readonly object[], reached: readonly object[]): string {
  const before = all.length - reached.length;
  return before === 0 ? "" : ` (${before} had ended before)`;
}

/** Those that have not ended when the run has, when it takes too long, when the person leaves or nobody drives any more. */
async function waitForEnds(
  place: Parameters<typeof withClient>[0],
  runId: string,
  cancelled: readonly string[],
  screen: Screen | undefined,
): Promise<Set<string>> {
  const leaving = watchLeaving();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const left = new Set(cancelled);
  const hasEnded = (ended: string): void => {
    left.delete(ended);
    const line = `Stopping… ${cancelled.length - left.size} of ${cancelled.length} have stopped`;
    if (screen?.rich) screen.live([screen.paint("dim", line)]);
  };
  try {
    // The owner leaves with its own run, often this one: then whoever has the store next knows how it ended.
    await withClient(place, async (client) => {
      for (const run of allOf(await client.tree(runId))) if (run.endedAt !== undefined) hasEnded(run.id);
      if (left.size === 0 || !(await client.health()).drives) return;
      for await (const item of client.follow({ runId, tree: true, signal }))
        if (item.type === "event" && TERMINAL_TYPES.has(item.event.type)) hasEnded(item.event.runId);
    });
    return left;
  } finally {
    leaving.dispose();
    screen?.live([]);
  }
}

/** `supervisor, 3 worker`. */
function namesOf(runs: readonly { agent: string }[]): string {
  const counts = new Map<string, number>();
  for (const { agent } of runs) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return [...counts]
    .map(([agent, many]) => `${many === 1 ? "" : `${many} × `}${plainLine(agent)}`)
    .join(", ");
}
