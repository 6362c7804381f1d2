// Who said what in a team: from a word in the coordinator's journal to the end of the member that said it, and on to the
// call by which it did. A round is published at once, so that nothing of this can be told by what came last.

import { toolCallId } from "../ids.ts";
import type { EventOf, JournalEvent, Payload } from "../journal/events.ts";
import { toolCallsOf } from "../journal/message-parts.ts";
import { memberKey } from "./folds/team-state.ts";
import { BROADCAST, VOTE_CONCLUDE } from "./folds/tool-call.ts";

export type TeamWord = EventOf<"TEAM_MESSAGE" | "TEAM_VOTE">;

/** The seat that a word came from, or that the team says something about. */
export function slotOfWord({ payload }: TeamWord): string {
  const { round, from } = payload;
  return memberKey(round, ("dropped" in payload ? payload.dropped : undefined) ?? from);
}

/** What a chain of causes goes on with, where it has come from a word to the end of who said it: the call. */
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

/** The result of the call, among the events of whoever made it. Undefined: its last words were what it said. */
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
