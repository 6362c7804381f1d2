// Follows a run for whoever waits for its answer: words and activity as they come, what needs a person now, and the end.

import type { CadreClient } from "../client.ts";
import type { ApprovalView, RunDetail } from "../schema.ts";
import { createTeller, type Told } from "./teller.ts";

export interface Answered {
  runId: string;
  sessionId: string | undefined;
  /** Of the message that is answered, where the run was under way before it. */
  messageId: string | undefined;
  /** Where people look at runs. */
  origin: string;
}

export type Telling =
  | ({ type: "told" } & Told)
  | { type: "needs"; text: string; needs: ApprovalView[] }
  | { type: "end"; text: string; run: RunDetail };

export async function* answering(
  client: CadreClient,
  { runId, messageId, origin }: Answered,
  signal: AbortSignal,
): AsyncGenerator<Telling, void> {
  const teller = createTeller(runId, messageId);
  const said = new Set<string>();
  for await (const item of client.follow({ runId, tree: true, signal })) {
    yield { type: "told", ...teller.tell(item) };
    if (item.type !== "event" || item.event.type !== "RUN_SUSPENDED") continue;
    // Not what the journal says of then: what was waited for may be decided since.
    const needs = (await client.approvals({ runId })).filter(({ id }) => !said.has(id));
    for (const { id } of needs) said.add(id);
    if (needs.length === 0) continue;
    yield { type: "needs", text: teller.say(waitingText(needs, `${origin}/r/${runId}`)), needs };
  }
  if (signal.aborted) return;
  const run = await client.run(runId);
  const isDone = run.status === "completed";
  yield { type: "end", text: isDone ? teller.end(run.summary ?? "") : "", run };
}

function waitingText(needs: readonly ApprovalView[], link: string): string {
  const items = needs.map(({ id, agent, kind, tool, preview, detail }) => {
    const what = kind === "tool" ? `${tool}${preview === undefined ? "" : `: ${preview}`}` : (detail ?? kind);
    const verb = kind === "question" ? `cadre approve ${id} --answer …` : `cadre approve ${id}`;
    return `- ${agent} › ${what} (${verb})`;
  });
  return `This waits for a person, and goes on when it is decided:\n${items.join("\n")}\nSee ${link}`;
}
