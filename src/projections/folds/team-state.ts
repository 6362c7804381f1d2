// A team's discussion. The coordinator's run has the whole discussion, and a member's run has only the member's own contributions.
// Progress is tracked by `seq`, so that an agent receives each part of the discussion once.

import type { EventOf, JournalEvent, TeamTurn } from "../../journal/events.ts";
import { BROADCAST, CONCLUDE_TEAM, type LoopGuard, type ToolCall, VOTE_CONCLUDE } from "./tool-call.ts";

type Calls = ReadonlyMap<string, ToolCall>;

export interface TeamRound {
  number: number;
  /** `seq` of the event that started the round. */
  seq: number;
  members: readonly string[];
  /** `seq` of the first message or vote in the round. All messages and votes are published together when the round ends. */
  closedAt: number | undefined;
}

export type TeamMessage = EventOf<"TEAM_MESSAGE">["payload"] & { seq: number };
export type TeamVote = EventOf<"TEAM_VOTE">["payload"] & { seq: number };

export interface TeamState {
  rounds: TeamRound[];
  messages: TeamMessage[];
  votes: TeamVote[];
  /** Members that no longer take part. */
  dropped: Set<string>;
  /** The discussion was sent to the coordinator up to this `seq`. */
  told: number;
  /** True if there will be no further rounds. */
  over: boolean;
  /** The messages and the vote of this agent in the current round, which are not published yet. */
  spoken: TeamTurn;
  /** Messages of the discussion that this agent has received. After a handoff the next agent needs them too. */
  heard: { id: string; from: string; text: string }[];
}

export const emptyTeam = (): TeamState => ({
  rounds: [],
  messages: [],
  votes: [],
  dropped: new Set(),
  told: 0,
  over: false,
  spoken: { broadcasts: [] },
  heard: [],
});

/** Applies an event to the state of the team. `calls` are the calls of the agent's latest turn. */
export function trackTeam(
  state: { team: TeamState; calls: Calls; guard: LoopGuard },
  event: JournalEvent,
): void {
  const { team, calls } = state;
  switch (event.type) {
    case "TEAM_ROUND_STARTED": {
      const { round: number, members } = event.payload;
      team.rounds.push({ number, seq: event.seq, members, closedAt: undefined });
      team.spoken = { broadcasts: [] };
      // A coordinator that repeats itself in every round is not in a loop, because the number of rounds is limited.
      state.guard = { ...state.guard, previous: undefined };
      break;
    }
    case "TEAM_MESSAGE":
      close(team, event);
      team.messages.push({ ...event.payload, seq: event.seq });
      if (event.payload.dropped !== undefined) team.dropped.add(event.payload.dropped);
      break;
    case "TEAM_VOTE":
      close(team, event);
      team.votes.push({ ...event.payload, seq: event.seq });
      break;
    case "CONTEXT_ADDED":
      recordHeard(team, event);
      break;
    case "TOOL_RESULT":
      if (!event.payload.isError) recordSpoken(team, calls.get(event.payload.toolCallId));
      break;
    default:
  }
}

/** The id of the message that tells a coordinator about a round, or about the end of all rounds. */
export const discussionId = (round: number | "over"): string => `${DISCUSSION}${round}`;

const DISCUSSION = "discussion/";

/** Number of member runs after the first round. They do not count as further children: the limit on children counts each member once. */
export const runsAfterFirstRound = ({ rounds }: TeamState): number =>
  rounds.slice(1).reduce((sum, { members }) => sum + members.length, 0);

function close({ rounds }: TeamState, { seq, payload }: EventOf<"TEAM_MESSAGE" | "TEAM_VOTE">): void {
  const round = rounds[payload.round - 1];
  if (round) round.closedAt ??= seq;
}

function recordHeard(team: TeamState, { seq, payload }: EventOf<"CONTEXT_ADDED">): void {
  const { source, id, from = "", text } = payload;
  if (source !== "team") return;
  if (!id.startsWith(DISCUSSION)) {
    team.heard.push({ id, from, text });
    return;
  }
  team.told = seq;
  if (id === discussionId("over")) finish(team);
}

function recordSpoken(team: TeamState, call: ToolCall | undefined): void {
  const { message = "", ready = false, reason = "" } = (call?.input ?? {}) as SpokenInput;
  if (call?.name === BROADCAST) team.spoken.broadcasts.push(message);
  if (call?.name === VOTE_CONCLUDE) team.spoken.vote = { ready, reason };
  if (call?.name === CONCLUDE_TEAM) finish(team);
}

interface SpokenInput {
  message?: string;
  ready?: boolean;
  reason?: string;
}

function finish(team: TeamState): void {
  team.over = true;
  team.spoken = { broadcasts: [] };
}
