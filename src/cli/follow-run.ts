// Stays with one run until it has ended or needs a person who is not there. Where a person is there, they are asked, and
// what others decide meanwhile takes the question away from them.

import type { CadreClient } from "../api/client.ts";
import type { ApprovalView } from "../api/schema.ts";
import type { WaitingOn } from "../journal/events.ts";
import { type Company, createQuestions } from "./questions.ts";
import type { LiveView } from "./view/live.ts";

/** A run and how far it has been shown: kept when the connection is not. */
export interface Watched {
  runId: string;
  view: LiveView;
  position: number | undefined;
}

export type Rest =
  | { type: "ended" }
  | { type: "needs-person"; waitingOn: WaitingOn | undefined; items: ApprovalView[] }
  | { type: "left" };

const TICK_MS = 500;

/** Throws where the connection is lost: connect again, and go on with the same `watched`. */
export async function followRun(
  client: CadreClient,
  watched: Watched,
  company: Company,
  leaving: AbortSignal,
): Promise<Rest> {
  const { runId, view } = watched;
  const { seq } = await client.run(runId);
  const questions = createQuestions(client, runId, company, leaving);
  const ticker = setInterval(() => view.tick(Date.now()), TICK_MS);
  const look = async (): Promise<Rest | undefined> => {
    const { status, seq: seen, waitingOn, cancel } = view.state;
    // What is only being read again has long been answered, and what is cancelled waits for nobody.
    if (status !== "suspended" || cancel || seen < seq) return undefined;
    const items = await questions.look(waitingOn);
    return items && { type: "needs-person", waitingOn, items };
  };
  try {
    // Connected anew, a run that waits for a person has nothing more to say: ask them again.
    const waits = await look();
    if (waits) return waits;
    const signal = AbortSignal.any([leaving, questions.failed]);
    const after = watched.position === undefined ? {} : { after: watched.position };
    for await (const item of client.follow({ runId, ...after, signal })) {
      if (item.type === "delta") view.delta(item.delta);
      if (item.type !== "event" || item.event.runId !== runId) continue;
      watched.position = item.event.position;
      view.event(item.event);
      questions.event(item.event);
      const rest = await look();
      if (rest) return rest;
    }
    questions.throwIfFailed();
    return view.state.end ? { type: "ended" } : { type: "left" };
  } finally {
    clearInterval(ticker);
    view.rest();
    questions.close();
  }
}
