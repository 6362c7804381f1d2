// One session of an editor: what a person says becomes a run, or joins the one that is under way, and what happens in its tree is
// shown until the turn is over. Everything that counts is in the journals; what is held here dies with the connection.
//  - A turn ends when the run does, or when only the person's own words can let it go on: their next message has them.
//  - A run that is under way when a session is loaded is watched on, with what it asks.

import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import { messageOf, toCadreError } from "../../errors.ts";
import type { RunDetail } from "../client/types.ts";
import { answerOrSay } from "../conversation/answer-or-say.ts";
import { MAX_PAGE } from "../routes/schemas.ts";
import { type EditorConnection, sendText } from "./editor-connection.ts";
import { isFreeQuestion } from "./permission.ts";
import { createTurn } from "./turn.ts";
import { type Watch, watchRun } from "./watch-run.ts";

export interface EditorSession {
  /** Who is spoken to from the next message on. */
  agent: string;
  prompt(text: string): Promise<StopReason>;
  cancel(): Promise<void>;
  /** Shows everything that was said and done; false: there is no such session. */
  load(): Promise<boolean>;
}

export function createEditorSession(desk: EditorConnection, agent: string): EditorSession {
  const own = new Set<string>();
  const watches = new Map<string, Watch>();
  const turn = createTurn();
  /** Of the latest run that was under way when the session was loaded. */
  let left: string | undefined;
  let isCancelled = false;
  const fail = async (runId: string, error: unknown): Promise<void> => {
    if (desk.signal.aborted || (await turn.fail(runId, error))) return;
    await sendText(desk, `\n\n${messageOf(error)}`).catch(() => {});
  };
  const watch = (runId: string): Watch => {
    const watching = watchRun(runId, desk, (id) => own.has(id), {
      onNeedsMessage: () => void turn.end(runId, "end_turn"),
      isCancelled: () => isCancelled,
      onError: (error) => void fail(runId, error),
    });
    watches.set(runId, watching);
    return watching;
  };

  async function follow(watching: Watch): Promise<void> {
    try {
      const run = await watching.follow();
      if (run?.status === "completed") await watching.showEnd(run.summary ?? "");
      if (run?.status === "failed") await fail(run.id, failureOf(run));
      else if (run) await turn.end(run.id, stopReasonOf(run));
    } catch (error) {
      await fail(watching.runId, error);
    }
  }

  const session: EditorSession = {
    agent,
    async prompt(text) {
      isCancelled = false;
      const spoken = begin(text, session.agent, desk, own);
      const ended = turn.begin(spoken);
      const runId = await spoken.catch(() => undefined);
      const watching = watches.get(runId ?? "");
      if (watching) await watching.askAgain();
      else if (runId !== undefined) void follow(watch(runId));
      return ended;
    },
    async cancel() {
      isCancelled = true;
      const runId = (await turn.runId()) ?? left;
      if (runId !== undefined) await cancelRun(runId, desk);
    },
    async load() {
      const filter = { session: desk.sessionId, roots: true, limit: MAX_PAGE };
      const { runs } = await desk.ask((client) => client.get("/api/runs", filter));
      session.agent = runs[0]?.agent ?? agent;
      for (const { id, endedAt, summary = "" } of runs.toReversed()) {
        const watching = watch(id);
        await watching.showPast();
        if (endedAt !== undefined) await watching.showEnd(summary);
        else {
          left = id;
          void follow(watching);
        }
      }
      return runs.length > 0;
    },
  };
  return session;
}

async function cancelRun(runId: string, { ask }: EditorConnection): Promise<void> {
  try {
    await ask((client) => client.post("/api/runs/{id}/cancel", { id: runId }));
  } catch (error) {
    if (toCadreError(error).code !== "RUN_TERMINAL") throw error;
  }
}

/** The run that a person's words have reached. */
async function begin(
  text: string,
  agent: string,
  { ask, sessionId }: EditorConnection,
  own: Set<string>,
): Promise<string> {
  const words = { sessionId, agent, text, answers: isFreeQuestion };
  const { runId, isNew } = await answerOrSay(words, ask, (id) => own.add(id));
  if (isNew) own.add(runId);
  return runId;
}

const failureOf = ({ id, stopReason = "error", summary = "" }: RunDetail): RequestError =>
  new RequestError(-32603, `Run ${id} failed (${stopReason}): ${summary}`, { runId: id });

function stopReasonOf({ status, stopReason }: RunDetail): StopReason {
  if (status === "cancelled") return "cancelled";
  if (stopReason === "budget" || stopReason === "history_limit") return "max_tokens";
  const isCut = stopReason === "max_turns" || stopReason === "max_duration" || stopReason === "loop";
  return isCut ? "max_turn_requests" : "end_turn";
}
