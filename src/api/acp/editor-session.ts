// One session of an editor. A message starts a run or joins the active run. The editor shows the run's tree until the turn is over.
// Everything durable is in the journals. The state in this file is lost when the connection ends.
//  - A turn ends when the run ends or needs text from the person. The person's next message provides that text.
//  - When a session is loaded, the editor follows the active run again and shows its open questions again.

import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import { messageOf, toCadreError } from "../../errors.ts";
import type { RunDetail } from "../client/types.ts";
import { answerOrSay } from "../conversation/answer-or-say.ts";
import { MAX_PAGE } from "../routes/schemas.ts";
import { type EditorConnection, sendText } from "./editor-connection.ts";
import { isFreeQuestion } from "./permission.ts";
import type { EditorMessage } from "./read-prompt.ts";
import { createTurn } from "./turn.ts";
import { type Watch, watchRun } from "./watch-run.ts";

export interface EditorSession {
  /** The agent that gets the next message. */
  agent: string;
  prompt(message: EditorMessage): Promise<StopReason>;
  cancel(): Promise<void>;
  /** Shows the session's history. Returns false if there is no such session. */
  load(): Promise<boolean>;
}

export function createEditorSession(connection: EditorConnection, agent: string): EditorSession {
  const own = new Set<string>();
  const watches = new Map<string, Watch>();
  const turn = createTurn();
  /** The run that was active when the session was loaded. */
  let loadedRun: string | undefined;
  let isCancelled = false;
  const fail = async (runId: string, error: unknown): Promise<void> => {
    if (connection.signal.aborted || (await turn.fail(runId, error))) return;
    await sendText(connection, `\n\n${messageOf(error)}`).catch(() => {});
  };
  const watch = (runId: string): Watch => {
    const watching = watchRun(runId, connection, (id) => own.has(id), {
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
    async prompt(message) {
      isCancelled = false;
      const delivered = deliver(message, session.agent, connection, own);
      const ended = turn.begin(delivered);
      const runId = await delivered.catch(() => undefined);
      const watching = watches.get(runId ?? "");
      if (watching) await watching.askAgain();
      else if (runId !== undefined) void follow(watch(runId));
      return ended;
    },
    async cancel() {
      isCancelled = true;
      const runId = (await turn.runId()) ?? loadedRun;
      if (runId !== undefined) await cancelRun(runId, connection);
    },
    async load() {
      const filter = { session: connection.sessionId, roots: true, limit: MAX_PAGE };
      const { runs } = await connection.ask((client) => client.get("/api/runs", filter));
      session.agent = runs[0]?.agent ?? agent;
      for (const { id, endedAt, summary = "" } of runs.toReversed()) {
        const watching = watch(id);
        await watching.showPast();
        if (endedAt !== undefined) await watching.showEnd(summary);
        else {
          loadedRun = id;
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

async function deliver(
  { text, attachments }: EditorMessage,
  agent: string,
  { ask, sessionId }: EditorConnection,
  own: Set<string>,
): Promise<string> {
  const message = { sessionId, agent, text, attachments, answers: isFreeQuestion };
  const { runId, isNew } = await answerOrSay(message, ask, (id) => own.add(id));
  if (isNew) own.add(runId);
  return runId;
}

const failureOf = ({ id, stopReason = "error", summary = "" }: RunDetail): RequestError =>
  new RequestError(-32603, `Run ${id} failed (${stopReason}): ${summary}`, { runId: id });

function stopReasonOf({ status, stopReason }: RunDetail): StopReason {
  if (status === "cancelled") return "cancelled";
  if (stopReason === "budget" || stopReason === "history_limit" || stopReason === "output_limit")
    return "max_tokens";
  const isCut = stopReason === "max_turns" || stopReason === "max_duration" || stopReason === "loop";
  return isCut ? "max_turn_requests" : "end_turn";
}
