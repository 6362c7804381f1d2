// Causes of team messages and votes: from the event in the coordinator's journal to the end of the member's run, and from
// there to the call that said it. A round is published all at once, so the order of events does not tell.

import { toolCallId } from "../ids.ts";
import type { EventOf, JournalEvent, Payload } from "../journal/events.ts";
import { toolCallsOf } from "../journal/message-parts.ts";
import { memberSlot } from "../patterns/declarations/team.ts";
import { BROADCAST, VOTE_CONCLUDE } from "./folds/tool-call.ts";

export type TeamWord = EventOf<"TEAM_MESSAGE" | "TEAM_VOTE">;

/** The slot of the member that said it, or that a notice of the team is about. */
export function slotOfWord({ payload }: TeamWord): string {
  const { round, from } = payload;
  return memberSlot(round, ("dropped" in payload ? payload.dropped : undefined) ?? from);
}

/** Continues a chain that leads from a message to the end of its speaker's run: with the call that said it. */
export function nextFromTeamWord(
  journals: ReadonlyMap<string, readonly JournalEvent[]>,
  chain: readonly JournalEvent[],
): JournalEvent | undefined {
  const last = chain.at(-1);
  const word = chain.findLast(isWord);
  if (!word || last?.type !== "RUN_COMPLETED") return undefined;
  const between = chain.slice(chain.indexOf(word) + 1);
  return between.every(({ type }) => type === "CHILD_RUN_COMPLETED" || type === "RUN_COMPLETED")
    ? callThatSaid(journals.get(last.runId) ?? [], word)
    : undefined;
}

const isWord = (event: JournalEvent): event is TeamWord =>
  event.type === "TEAM_MESSAGE" || event.type === "TEAM_VOTE";

/** The result of the call that said it, in the speaker's journal. Undefined: the message was the run's final text. */
export function callThatSaid(events: readonly JournalEvent[], word: TeamWord): JournalEvent | undefined {
  const ids = new Set(events.flatMap((event) => (event.type === "AGENT_THOUGHT" ? saying(event, word) : [])));
  return events.findLast(
    ({ type, payload }) => type === "TOOL_RESULT" && !payload.isError && ids.has(payload.toolCallId),
  );
}

function saying({ payload: { callId, content } }: EventOf<"AGENT_THOUGHT">, word: TeamWord): string[] {
  return toolCallsOf(content).flatMap(({ toolName, input }, index) =>
    says(toolName, (input ?? {}) as Said, word) ? toolCallId(callId, index) : [],
  );
}

type Said = Partial<Pick<Payload<"TEAM_VOTE">, "ready" | "reason">> & { message?: string };

function says(tool: string, { message, ready, reason }: Said, word: TeamWord): boolean {
  if (word.type === "TEAM_MESSAGE") return tool === BROADCAST && message === word.payload.text;
  return tool === VOTE_CONCLUDE && ready === word.payload.ready && reason === word.payload.reason;
}
