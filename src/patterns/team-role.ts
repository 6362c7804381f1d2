// A run's role in a team: coordinator, member, or neither. The coordinator of an inner team is also a member of the outer team.
// The role decides which closing tools the run has and how it ends.

import type { Definition } from "../journal/definition.ts";
import type { Payload, StopReason, TeamTurn } from "../journal/events.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { LAST_TURN, type RunState } from "../projections/folds/run-state.ts";
import { CONCLUDE_TEAM, FINAL_REPORT } from "../projections/folds/tool-call.ts";
import type { Ending } from "./action.ts";
import { givingAnswerAway } from "./declarations/facts.ts";
import type { DecisionView } from "./pattern.ts";

/** Whether the run speaks as a team member. S3-43: in a handoff chain, only the last agent speaks. */
export const isTeamMember = (definition: Definition, { team }: Payload<"RUN_STARTED">): boolean =>
  team !== undefined && givingAnswerAway(definition).length === 0;

/** True while the run coordinates a discussion. In the run's last turn there is no time for another round, so the result is false. */
export const isCoordinating = ({ state, definition }: DecisionView): boolean =>
  definition.team !== undefined && !state.team.over && !state.systemNotes.has(LAST_TURN);

/** The tool that ends the run. Undefined for a team member, which gives no report (S3-42). */
export function reportTool(view: DecisionView): string | undefined {
  if (isTeamMember(view.definition, view.state.start!)) return undefined;
  return isCoordinating(view) ? CONCLUDE_TEAM : FINAL_REPORT;
}

/** The end of a member's round. Undefined if the member has said nothing. */
export function memberEnding({ state }: DecisionView, stopReason: StopReason): Ending | undefined {
  const text = state.latest?.text.trim() ?? "";
  const team = teamTurn(state, text);
  const summary = text || team.vote?.reason || team.broadcasts.at(-1);
  return summary === undefined ? undefined : { status: "completed", stopReason, summary, team };
}

/** A member's broadcasts and vote. If the member made no broadcast, its last text is broadcast. */
export function teamTurn({ team: { spoken } }: RunState, words: string): TeamTurn {
  const { broadcasts, vote } = spoken;
  const texts = broadcasts.length > 0 || words === "" ? broadcasts : [words];
  return omitUndefined({ broadcasts: [...texts], vote });
}
