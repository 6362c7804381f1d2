// Follows a run and its descendants until the run has ended, or until it needs a person and no person is at the terminal.
// While a question is open at the terminal, the other branches continue. A decision made elsewhere withdraws the question.

import type { CadreClient } from "../../api/client/client.ts";
import type { RunSummary } from "../../api/client/types.ts";
import type { LiveView } from "../view/live/live-view.ts";
import { allNodes } from "../view/text/branches.ts";
import { type Answerer, type Blockage, createQuestions } from "./questions.ts";

/** A followed run and the position of the last event shown. A new connection continues from this position. */
export interface WatchedRun {
  runId: string;
  view: LiveView;
  position: number | undefined;
}

export type FollowResult = { type: "ended" } | ({ type: "needs-person" } & Blockage) | { type: "left" };

const TICK_MS = 250;
/** Time without events after which we look for quarantined runs. */
const QUIET_MS = 2_000;

/** Follows the run. Throws if the connection is lost: connect again, then call this function with the same `watched`. */
export async function followRun(
  client: CadreClient,
  watched: WatchedRun,
  answerer: Answerer,
  leaving: AbortSignal,
): Promise<FollowResult> {
  const { runId, view } = watched;
  const isBehind = await readSoFar(client, watched);
  const questions = createQuestions(client, runId, { tree: view.tree, answerer, leaving });
  const ticker = setInterval(() => view.tick(Date.now()), TICK_MS);
  const quarantine = watchForQuarantine(client, runId, answerer);
  const look = async (): Promise<FollowResult | undefined> =>
    resultFor(isBehind() ? undefined : await questions.check());
  try {
    // After a reconnect, a tree that waits for a person sends no events. So we check here whether to ask the person.
    const waits = await look();
    if (waits) return waits;
    const signal = AbortSignal.any([leaving, questions.ended, quarantine.found]);
    const after = watched.position === undefined ? {} : { after: watched.position };
    for await (const item of client.follow({ runId, tree: true, ...after, signal })) {
      quarantine.restartTimer();
      if (item.type === "delta") view.delta(item.delta);
      if (item.type !== "event") continue;
      watched.position = item.event.position;
      view.event(item.event);
      questions.event(item.event);
      const rest = await look();
      if (rest) return rest;
    }
    const rest = resultFor((await questions.outcome()) ?? quarantine.stuck());
    return rest ?? (view.tree.top?.state.end ? { type: "ended" } : { type: "left" });
  } finally {
    clearInterval(ticker);
    quarantine.close();
    view.clear();
    questions.close();
  }
}

const resultFor = (stuck: Blockage | undefined): FollowResult | undefined =>
  stuck && { type: "needs-person", ...stuck };

/** Looks for quarantined runs when no events arrive, because a quarantined run and its waiting ancestors send no events. */
function watchForQuarantine(client: CadreClient, runId: string, answerer: Answerer) {
  const found = new AbortController();
  let stuck: Blockage | undefined;
  let timer: NodeJS.Timeout | undefined;
  const restartTimer = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look().catch(fail), QUIET_MS);
  };
  async function look(): Promise<void> {
    const seen = await findQuarantined(client, runId);
    // A person who is answering a question is not interrupted.
    if (!seen || (answerer.type === "person" && seen.items.length > 0)) return restartTimer();
    stuck = seen;
    found.abort();
  }
  // Errors are ignored here: the stream of events reports a lost connection.
  const fail = (): void => clearTimeout(timer);
  restartTimer();
  return { found: found.signal, restartTimer, stuck: () => stuck, close: () => clearTimeout(timer) };
}

async function findQuarantined(client: CadreClient, runId: string): Promise<Blockage | undefined> {
  const live = allNodes(await client.get("/api/runs/{id}/tree", { id: runId })).filter(
    ({ endedAt }) => endedAt === undefined,
  );
  const held = live.filter(({ waitingOn }) => waitingOn?.kind === "quarantine");
  if (held.length === 0 || live.some(canContinue)) return undefined;
  return { items: (await client.get("/api/approvals", { run: runId })).approvals, pausedRuns: held };
}

const canContinue = ({ status, waitingOn }: RunSummary): boolean =>
  status !== "suspended" && waitingOn?.kind !== "child" && waitingOn?.kind !== "handoff";

/** Returns a function that is true until all past events have been shown. Until then no questions are asked. */
async function readSoFar(client: CadreClient, { runId, view }: WatchedRun): Promise<() => boolean> {
  let known = allNodes(await client.get("/api/runs/{id}/tree", { id: runId }));
  return () => {
    known = known.filter(({ id, seq }) => (view.tree.runs.get(id)?.state.seq ?? 0) < seq);
    return known.length > 0;
  };
}
