// The words of a team: what a member reads when it joins and in each round, what it is told of the others, and what a
// coordinator is told of the discussion. What a member said is marked as somebody else's words wherever it is read.

import { baseName } from "../journal/definition.ts";
import { markUntrusted } from "../journal/untrusted.ts";
import { latestChildFor } from "../projections/folds/child-runs.ts";
import {
  memberKey,
  type TeamMessage,
  type TeamRound,
  type TeamVote,
} from "../projections/folds/team-state.ts";
import { requestText } from "./opening.ts";
import type { DecisionView } from "./pattern.ts";

/** Who speaks where nobody does: no agent can be called that. */
export const THE_TEAM = "the team";

export type TeamWord = TeamMessage | TeamVote;

/** As members call each other: by the short name, unless two have the same. */
export function memberName({ definition }: DecisionView, agent: string): string {
  const short = baseName(agent);
  const everybody = new Set([...definition.team!.members, definition.name]);
  return [...everybody].filter((other) => baseName(other) === short).length > 1 ? agent : short;
}

/** What a member reads in its task's place. */
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

/** One word of the discussion, for somebody who did not say it. */
export function messageText(view: DecisionView, word: TeamWord): string {
  const { state, definition } = view;
  const { from, round } = word;
  const name = memberName(view, from);
  if (from === THE_TEAM) return `The team: ${(word as TeamMessage).text}`;
  if (from === definition.name) return `Guidance of ${name}, who coordinates:\n${(word as TeamMessage).text}`;
  const child = latestChildFor(state.children, memberKey(round, from));
  const marked = (text: string): string => markUntrusted(child?.nonce ?? "", `${from} ${child?.runId}`, text);
  if ("text" in word) return `${name} says:\n${marked(word.text)}`;
  return `${name} votes ${word.ready ? "to conclude" : "to go on"}:\n${marked(word.reason)}`;
}

/** What a coordinator has not been told, round by round. */
export function discussionText(view: DecisionView): string {
  const { rounds, told } = view.state.team;
  const words = wordsAfter(view, told).filter(({ from }) => from !== view.definition.name);
  return rounds
    .map(({ number }) => ({ number, said: words.filter(({ round }) => round === number) }))
    .filter(({ said }) => said.length > 0)
    .flatMap(({ number, said }) => [`## ROUND ${number}`, ...said.map((word) => messageText(view, word))])
    .join("\n\n");
}

/** In the order in which they were said. */
export function wordsAfter({ state }: DecisionView, seq: number): TeamWord[] {
  const { messages, votes } = state.team;
  return [...messages, ...votes].filter((word) => word.seq > seq).sort((one, other) => one.seq - other.seq);
}

/** How a coordinator that decides is asked to. */
export const decideText = (round: number, maxRounds: number): string =>
  `That was round ${round} of at most ${maxRounds}. If the request can be answered, answer it with \`conclude_team\`. Otherwise say with \`broadcast\` what the team should look at next.`;

export const overText = (why: string): string =>
  `The discussion is over: ${why} Now answer the request: the answer is yours.`;
