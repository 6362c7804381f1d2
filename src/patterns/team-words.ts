// The texts of a team: a member's opening in each round, the messages of the others, and the discussion as its coordinator
// reads it. A member's words are marked as untrusted wherever another agent reads them.

import { baseName } from "../journal/agent-id.ts";
import { markUntrusted } from "../journal/untrusted.ts";
import { latestChildFor } from "../projections/folds/child-runs.ts";
import type { TeamMessage, TeamRound, TeamVote } from "../projections/folds/team-state.ts";
import { memberSlot } from "./declarations/team.ts";
import { requestText } from "./opening.ts";
import type { DecisionView } from "./pattern.ts";

/** Sender of announcements. No agent can have this name. */
export const THE_TEAM = "the team";

export type TeamWord = TeamMessage | TeamVote;

/** An agent's name within the team: the short name, unless two agents share it. */
export function memberName({ definition }: DecisionView, agent: string): string {
  const short = baseName(agent);
  const everybody = new Set([...definition.team!.members, definition.name]);
  return [...everybody].filter((other) => baseName(other) === short).length > 1 ? agent : short;
}

/** The text that a member reads in place of its task. */
export function memberOpening(view: DecisionView, { number, members }: TeamRound, me: string): string {
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
  return [state.opening ?? requestText(state.start!), "## YOUR TEAM", ...text].join("\n\n");
}

const JOIN = `You work on the request in rounds, all at the same time. What is said in one round is heard by the others in the next.
- Say what they should know with \`broadcast\`: what you found, what you propose, where you disagree and why.
- End your turn with \`vote_conclude\`: ready, if for you the discussion may end, and the reason.
Where these are not among your tools, end as usual: whoever gets your answer speaks for you.`;

const GO_ON =
  "What the others said follows. Go on with the discussion, and end your turn with `vote_conclude`.";

/** One message or vote, as the other agents read it. */
export function messageText(view: DecisionView, word: TeamWord): string {
  const { state, definition } = view;
  const { from, round } = word;
  const name = memberName(view, from);
  if (from === THE_TEAM) return `The team: ${(word as TeamMessage).text}`;
  if (from === definition.name) return `Guidance of ${name}, who coordinates:\n${(word as TeamMessage).text}`;
  const child = latestChildFor(state.children, memberSlot(round, from));
  const marked = (text: string): string => markUntrusted(child?.nonce ?? "", `${from} ${child?.runId}`, text);
  if ("text" in word) return `${name} says:\n${marked(word.text)}`;
  return `${name} votes ${word.ready ? "to conclude" : "to go on"}:\n${marked(word.reason)}`;
}

/** The part of the discussion that the coordinator has not read yet, round by round. */
export function discussionText(view: DecisionView): string {
  const { rounds, told } = view.state.team;
  const words = wordsAfter(view, told).filter(({ from }) => from !== view.definition.name);
  return rounds
    .map(({ number }) => ({ number, said: words.filter(({ round }) => round === number) }))
    .filter(({ said }) => said.length > 0)
    .flatMap(({ number, said }) => [`## ROUND ${number}`, ...said.map((word) => messageText(view, word))])
    .join("\n\n");
}

/** Messages and votes after an event, in order. */
export function wordsAfter({ state }: DecisionView, seq: number): TeamWord[] {
  const { messages, votes } = state.team;
  return [...messages, ...votes].filter((word) => word.seq > seq).sort((one, other) => one.seq - other.seq);
}

/** Asks a coordinator that decides whether there is another round. */
export const decideText = (round: number, maxRounds: number): string =>
  `That was round ${round} of at most ${maxRounds}. If the request can be answered, answer it with \`conclude_team\`. Otherwise say with \`broadcast\` what the team should look at next.`;

export const overText = (why: string): string =>
  `The discussion is over: ${why} Now answer the request: the answer is yours.`;
