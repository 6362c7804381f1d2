// Follows a run for a client that waits for the run's answer. Yields text, activity and open questions, and finally the end.

import type { JournalEvent } from "../../journal/events.ts";
import { timelineEntry } from "../../projections/views/timeline.ts";
import type { CadreClient } from "../client/client.ts";
import type { ApprovalView, RunDetail } from "../client/types.ts";
import type { DeliveredMessage } from "../conversation/answer-or-say.ts";
import { type AnswerPart, createAnswerText } from "../conversation/answer-text.ts";
import { NEEDS_COMMAND, runsNeedingCommand } from "../conversation/stopped-runs.ts";

export interface AnsweredRun extends Pick<DeliveredMessage, "runId" | "isRecordedBy"> {
  sessionId: string | undefined;
  /** Base URL of the web page. */
  origin: string;
}

export type AnswerUpdate =
  | ({ type: "part" } & AnswerPart)
  | { type: "needs"; text: string; needs: ApprovalView[] }
  | { type: "end"; text: string; run: RunDetail };

export async function* followAnswer(
  client: CadreClient,
  { runId, isRecordedBy, origin }: AnsweredRun,
  signal: AbortSignal,
): AsyncGenerator<AnswerUpdate, void> {
  const answer = createAnswerText(runId, isRecordedBy);
  const link = `${origin}/r/${runId}`;
  const findNeeds = watchForNeeds(client, runId);
  for await (const item of client.follow({ runId, tree: true, signal })) {
    yield { type: "part", ...answer.add(item) };
    if (item.type !== "event") continue;
    const { needs, stopped } = await findNeeds(item.event);
    if (needs.length > 0) yield { type: "needs", text: answer.addNote(waitingText(needs, link)), needs };
    if (stopped.length > 0)
      yield { type: "needs", text: answer.addNote(commandText(stopped, link)), needs: [] };
  }
  if (signal.aborted) return;
  const run = await client.get("/api/runs/{id}", { id: runId });
  const isDone = run.status === "completed";
  yield { type: "end", text: isDone ? answer.end(run.summary ?? "") : "", run };
}

/** Finds items that need a person, and reports each item once. Asks the API, because an item in an old event might already be decided. */
function watchForNeeds(client: CadreClient, runId: string) {
  const reported = new Set<string>();
  const titles = new Map<string, string>();
  const isNew = (key: string): boolean => !reported.has(key) && reported.add(key).size > 0;
  return async (event: JournalEvent): Promise<{ needs: ApprovalView[]; stopped: string[] }> => {
    const isRest = event.type === "RUN_SUSPENDED";
    if (isRest && NEEDS_COMMAND.has(event.payload.waitingOn.kind))
      titles.set(event.runId, timelineEntry(event)!.title);
    const needs = isRest
      ? (await client.get("/api/approvals", { run: runId })).approvals.filter(({ id }) => isNew(id))
      : [];
    const mayBeStopped = titles.size > 0 && (isRest || event.type === "CHILD_RUN_COMPLETED");
    const stopped = mayBeStopped ? await runsNeedingCommand(client, runId) : [];
    const news = stopped.filter(({ id, updatedAt }) => titles.has(id) && isNew(`${id} ${updatedAt}`));
    return { needs, stopped: news.map(({ id, agent }) => `${agent} › ${titles.get(id)} (${id})`) };
  };
}

function waitingText(needs: readonly ApprovalView[], link: string): string {
  const items = needs.map(({ id, agent, kind, tool, preview, detail }) => {
    const what = kind === "tool" ? `${tool}${preview === undefined ? "" : `: ${preview}`}` : (detail ?? kind);
    const verb = kind === "question" ? `cadre approve ${id} --answer …` : `cadre approve ${id}`;
    return `- ${agent} › ${what} (${verb})`;
  });
  return `This waits for a person, and continues once it is decided:\n${items.join("\n")}\nSee ${link}`;
}

const commandText = (stopped: readonly string[], link: string): string =>
  `This has stopped, and continues with \`cadre resume\`:\n${stopped.map((line) => `- ${line}`).join("\n")}\nSee ${link}`;
