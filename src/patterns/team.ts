// Decisions of the team pattern: members discuss the request in rounds, and the agent that coordinates them gives the answer.
//  - Each member has one run per round. It continues the member's run of the previous round. All runs of a round work in parallel.
//  - A round closes in one append, after every member has spoken, failed or timed out. Members see each other's messages after that.
//  - If a member fails or is late (F27), its absence is announced, and the member takes no further part.
//  - The coordinator's journal contains the discussion. Each reader receives the messages that it has not read yet.
//    Wherever another agent reads a member's words, they are marked as untrusted.

import { baseName } from "../journal/agent-id.ts";
import type { EventBody } from "../journal/events.ts";
import { markUntrusted } from "../journal/untrusted.ts";
import { latestChildFor } from "../projections/folds/child-runs.ts";
import {
  discussionId,
  type TeamMessage,
  type TeamRound,
  type TeamVote,
} from "../projections/folds/team-state.ts";
import { BROADCAST } from "../projections/folds/tool-call.ts";
import type { Action, PatternRun } from "./action.ts";
import { memberSlot } from "./declarations/team.ts";
import { answerText, openingWithRequest } from "./opening.ts";
import type { DecisionView, Pattern } from "./pattern.ts";
import { type PatternSlot, slotOf, waitOrGiveUp } from "./slot.ts";
import { isCoordinating } from "./team-role.ts";

export const team: Pattern = {
  next(view, now): Action | undefined {
    if (!isCoordinating(view)) return undefined;
    const round = view.state.team.rounds.at(-1);
    if (!round) return startRound(view);
    if (round.closedAt === undefined) return continueRound(view, round, now);
    const { goesOn, why } = shouldContinue(view, round);
    if (!goesOn) return tellCoordinator(view, "over", closingPrompt(why));
    const { termination, maxRounds } = view.definition.team!;
    if (!termination.includes("coordinatorDecides")) return startRound(view);
    if (view.state.team.told < round.closedAt)
      return tellCoordinator(view, round.number, decisionPrompt(round.number, maxRounds));
    return hasGuided(view) ? startRound(view) : undefined;
  },
};

/** S3-41: whether another round follows the given round. */
export function shouldContinue(
  { state, definition }: DecisionView,
  { number }: TeamRound,
): { goesOn: true; why?: undefined } | { goesOn: false; why: string } {
  const { termination, maxRounds, quorum = 1 } = definition.team!;
  const live = liveMembers({ state, definition });
  const ready = new Set(
    state.team.votes.filter((vote) => vote.round === number && vote.ready).map(({ from }) => from),
  );
  const stop = (why: string) => ({ goesOn: false as const, why });
  if (live.length === 0) return stop("nobody is left in the team.");
  if (live.length < quorum) return stop(`${live.length} of the ${quorum} members that it needs are left.`);
  if (termination.includes("consensus") && live.every((member) => ready.has(member)))
    return stop("everybody is ready to conclude.");
  return number >= maxRounds ? stop(`there are no more than ${maxRounds} rounds.`) : { goesOn: true };
}

/** S3-41: the events that publish a member's broadcasts when its round ends. */
export function onMemberBroadcast(round: number, from: string, texts: readonly string[]): EventBody[] {
  return texts.map((text, index) => ({ type: "TEAM_MESSAGE", payload: { round, index, from, text } }));
}

/** S3-41: the event that publishes a member's vote when its round ends. */
export function onMemberVote(round: number, from: string, vote: Vote): EventBody[] {
  return vote ? [{ type: "TEAM_VOTE", payload: { round, from, ...vote } }] : [];
}

/** S3-41: the message by which a member learns what another member has said. */
export function injectMessage(
  view: DecisionView,
  word: TeamWord,
): NonNullable<PatternRun["messages"]>[number] {
  return { id: `team/${word.seq}`, from: word.from, text: messageText(view, word) };
}

type Vote = { ready: boolean; reason: string } | undefined;

const liveMembers = ({ state, definition }: DecisionView): string[] =>
  [...new Set(definition.team!.members)].filter((member) => !state.team.dropped.has(member));

/** Starts the next round. If the coordinator decides about rounds, its guidance precedes the round. */
function startRound(view: DecisionView): Action {
  const { state, definition } = view;
  const { rounds, spoken } = state.team;
  const last = rounds.at(-1)?.number ?? 0;
  const decides = last > 0 && definition.team!.termination.includes("coordinatorDecides");
  const guidance = spoken.broadcasts.length > 0 ? spoken.broadcasts : [state.latest?.text.trim() ?? ""];
  const started: EventBody = {
    type: "TEAM_ROUND_STARTED",
    payload: { round: last + 1, members: liveMembers(view) },
  };
  const messages = decides ? onMemberBroadcast(last, definition.name, guidance) : [];
  return { type: "record", events: [...messages, started] };
}

function continueRound(view: DecisionView, round: TeamRound, now: number): Action {
  const { state, definition } = view;
  const filled = round.members.map((member) => ({
    member,
    slot: slotOf(state, memberSlot(round.number, member)),
  }));
  const empty = filled.filter(({ slot }) => slot.type === "empty");
  if (empty.length > 0)
    return { type: "start-runs", runs: empty.map(({ member }) => memberRun(view, round, member)) };
  const open = filled.flatMap(({ slot }) => (slot.type === "live" ? [slot.child] : []));
  const late = "It took too long for its round of the discussion.";
  const wait = waitOrGiveUp(state, open, { timeout: definition.team!.memberTimeout, now, late });
  return wait ?? { type: "record", events: closeRound(view, round, filled) };
}

/** A member's run in this round. Its task is the same in every round, so that the member's system prompt can be cached. */
function memberRun(view: DecisionView, round: TeamRound, member: string): PatternRun {
  const { state, definition } = view;
  const { task, input } = state.start!;
  const { number } = round;
  return {
    key: memberSlot(number, member),
    trigger: "team",
    agent: member,
    task,
    input,
    before: memberOpening(view, round, member),
    messages: number === 1 ? state.team.heard : newMessagesFor(view, round, member),
    maxTurns: definition.team!.memberMaxTurns,
    team: { runId: state.runId, round: number, member },
    continues: true,
  };
}

/** The messages that other members have sent since this member's last round. Each message is delivered once, even after a restart. */
function newMessagesFor(view: DecisionView, { number }: TeamRound, member: string): PatternRun["messages"] {
  const { seq } = view.state.team.rounds[number - 2]!;
  return messagesAfter(view, seq)
    .filter(({ from }) => from !== member)
    .map((word) => injectMessage(view, word));
}

interface MemberSlot {
  member: string;
  slot: PatternSlot;
}

/** The events that close a round. Each member has at least one event, so that the run's state shows the round as closed. */
function closeRound(
  view: DecisionView,
  { number: round }: TeamRound,
  filled: readonly MemberSlot[],
): EventBody[] {
  const announced: { text: string; dropped?: string }[] = [];
  const messages = filled.flatMap(({ member, slot }) => {
    if (slot.type !== "done") {
      const text = `${memberName(view, member)} takes no further part: ${absenceReason(slot)}`;
      announced.push({ text, dropped: member });
      return [];
    }
    const { result } = slot.child.ended!;
    const { broadcasts, vote } = result.team ?? { broadcasts: [answerText(result)] };
    const texts = broadcasts.filter((text) => text !== "");
    const events = [...onMemberBroadcast(round, member, texts), ...onMemberVote(round, member, vote)];
    if (events.length === 0) announced.push({ text: `${memberName(view, member)} messages nothing.` });
    return events;
  });
  const announcements = announced.map((word, index): EventBody => {
    return { type: "TEAM_MESSAGE", payload: { round, index, from: THE_TEAM, ...word } };
  });
  return [...messages, ...announcements];
}

/** Why a member is absent, in Cadre's own words. The failed run's own text would be untrusted. */
function absenceReason(slot: PatternSlot): string {
  switch (slot.type) {
    case "late":
      return "it did not answer in time.";
    case "refused":
      return `it could not be started: ${slot.why}`;
    case "failed": {
      const { status, first_cause: cause } = slot.child.ended!.result;
      return status === "cancelled" ? "it was cancelled." : `it failed (${cause?.stop_reason ?? "error"}).`;
    }
    default:
      return "";
  }
}

function tellCoordinator(view: DecisionView, round: number | "over", closing: string): Action {
  const text = [discussionText(view), closing].filter((part) => part !== "").join("\n\n");
  const payload = { id: discussionId(round), source: "team" as const, text };
  return { type: "record", events: [{ type: "CONTEXT_ADDED", payload }] };
}

/** Whether the coordinator's turn between two rounds is over. The turn ends with text, or with calls that are all broadcasts. */
function hasGuided({ state }: DecisionView): boolean {
  const { latest, calls, team } = state;
  if (!latest || latest.seq < team.told) return false;
  if (calls.size === 0) return latest.text.trim() !== "";
  return [...calls.values()].every(({ name, result }) => name === BROADCAST && result?.outcome === "ok");
}

/** The sender of announcements to the team. No agent can have this name. */
export const THE_TEAM = "the team";

type TeamWord = TeamMessage | TeamVote;

/** An agent's name within the team: its short name, unless two agents share the short name. */
function memberName({ definition }: DecisionView, agent: string): string {
  const short = baseName(agent);
  const everybody = new Set([...definition.team!.members, definition.name]);
  return [...everybody].filter((other) => baseName(other) === short).length > 1 ? agent : short;
}

/** The text that a member reads in place of its task. */
function memberOpening(view: DecisionView, { number, members }: TeamRound, me: string): string {
  const { state, definition } = view;
  const name = (agent: string): string => memberName(view, agent);
  const { maxRounds } = definition.team!;
  const round = `Round ${number} of at most ${maxRounds}.`;
  if (number > 1) return `${round} ${GO_ON}`;
  const others = members.filter((member) => member !== me).map(name);
  const company = others.length === 0 ? "you alone" : `you and ${others.join(", ")}`;
  const text = [
    `You are ${name(me)}, a member of a team: ${company}. ${name(definition.name)} coordinates, and writes the answer.`,
    JOIN,
    round,
  ];
  return [openingWithRequest(state.start!, state.opening), "## YOUR TEAM", ...text].join("\n\n");
}

const JOIN = `You work on the request in rounds, all at the same time. What is said in one round is heard by the others in the next.
- Say what they should know with \`broadcast\`: what you found, what you propose, where you disagree and why.
- End your turn with \`vote_conclude\`: ready, if for you the discussion may end, and the reason.
Where these are not among your tools, end as usual: whoever gets your answer speaks for you.`;

const GO_ON =
  "What the others said follows. Go on with the discussion, and end your turn with `vote_conclude`.";

/** The text of one message or vote that the other agents read. */
function messageText(view: DecisionView, word: TeamWord): string {
  const { state, definition } = view;
  const { from, round } = word;
  const name = memberName(view, from);
  if (from === THE_TEAM) return `The team: ${(word as TeamMessage).text}`;
  if (from === definition.name) return `Guidance of ${name}, who coordinates:\n${(word as TeamMessage).text}`;
  const child = latestChildFor(state.children, memberSlot(round, from));
  const markText = (text: string): string =>
    child?.nonce === "" ? text : markUntrusted(child?.nonce ?? "", `${from} ${child?.runId}`, text);
  if ("text" in word) return `${name} says:\n${markText(word.text)}`;
  return `${name} votes ${word.ready ? "to conclude" : "to go on"}:\n${markText(word.reason)}`;
}

/** The part of the discussion that the coordinator has not read yet, round by round. */
function discussionText(view: DecisionView): string {
  const { rounds, told } = view.state.team;
  const words = messagesAfter(view, told).filter(({ from }) => from !== view.definition.name);
  return rounds
    .map(({ number }) => ({ number, said: words.filter(({ round }) => round === number) }))
    .filter(({ said }) => said.length > 0)
    .flatMap(({ number, said }) => [`## ROUND ${number}`, ...said.map((word) => messageText(view, word))])
    .join("\n\n");
}

export function messagesAfter({ state }: DecisionView, seq: number): TeamWord[] {
  const { messages, votes } = state.team;
  return [...messages, ...votes].filter((word) => word.seq > seq).sort((one, other) => one.seq - other.seq);
}

/** Asks the coordinator whether there is another round. */
const decisionPrompt = (round: number, maxRounds: number): string =>
  `That was round ${round} of at most ${maxRounds}. If the request can be answered, answer it with \`conclude_team\`. Otherwise say with \`broadcast\` what the team should look at next.`;

const closingPrompt = (why: string): string =>
  `The discussion is over: ${why} Now answer the request: the answer is yours.`;
