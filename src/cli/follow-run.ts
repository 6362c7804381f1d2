// Stays with a run and all below it until it has ended, or nothing of it can go on without a person who is not there.
// Where a person is there, they are asked while the other branches go on, and what others decide meanwhile takes the
// question away from them.

import type { CadreClient } from "../api/client.ts";
import { type Company, createQuestions, type Stuck } from "./questions.ts";
import { allOf } from "./view/branches.ts";
import type { LiveView } from "./view/live.ts";

/** A run and how far it has been shown: kept when the connection is not. */
export interface Watched {
  runId: string;
  view: LiveView;
  position: number | undefined;
}

export type Rest = { type: "ended" } | ({ type: "needs-person" } & Stuck) | { type: "left" };

const TICK_MS = 250;

/** Throws where the connection is lost: connect again, and go on with the same `watched`. */
export async function followRun(
  client: CadreClient,
  watched: Watched,
  company: Company,
  leaving: AbortSignal,
): Promise<Rest> {
  const { runId, view } = watched;
  const isBehind = await readSoFar(client, watched);
  const questions = createQuestions(client, runId, { tree: view.tree, company, leaving });
  const ticker = setInterval(() => view.tick(Date.now()), TICK_MS);
  const look = async (): Promise<Rest | undefined> => restOf(isBehind() ? undefined : await questions.look());
  try {
    // Connected anew, a tree that waits for a person has nothing more to say: ask them again.
    const waits = await look();
    if (waits) return waits;
    const signal = AbortSignal.any([leaving, questions.ended]);
    const after = watched.position === undefined ? {} : { after: watched.position };
    for await (const item of client.follow({ runId, tree: true, ...after, signal })) {
      if (item.type === "delta") view.delta(item.delta);
      if (item.type !== "event") continue;
      watched.position = item.event.position;
      view.event(item.event);
      questions.event(item.event);
      const rest = await look();
      if (rest) return rest;
    }
    const rest = restOf(await questions.outcome());
    return rest ?? (view.tree.top?.state.end ? { type: "ended" } : { type: "left" });
  } finally {
    clearInterval(ticker);
    view.rest();
    questions.close();
  }
}

const restOf = (stuck: Stuck | undefined): Rest | undefined => stuck && { type: "needs-person", ...stuck };

/** True until what had happened before is on the screen: what is only being read again has long been answered. */
async function readSoFar(client: CadreClient, { runId, view }: Watched): Promise<() => boolean> {
  let known = allOf(await client.tree(runId));
  return () => {
    known = known.filter(({ id, seq }) => (view.tree.runs.get(id)?.state.seq ?? 0) < seq);
    return known.length > 0;
  };
}
