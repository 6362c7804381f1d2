// Where a run stands in a team: as its coordinator, as a member, as neither, or, a team in a team, first as the one and
// then as the other. What it may call and how it ends follow from that.

import type { Definition } from "../journal/definition.ts";
import type { Payload, StopReason, TeamTurn } from "../journal/events.ts";
import { LAST_TURN, type RunState } from "../projections/folds/run-state.ts";
import { CONCLUDE_TEAM, FINAL_REPORT } from "../projections/folds/tool-call.ts";
import type { Ending } from "./action.ts";
import type { DecisionView } from "./pattern.ts";

/** S3-43: of a chain, only the last one speaks for its member. */
export const isTeamMember = ({ handoff, router }: Definition, { team }: Payload<"RUN_STARTED">): boolean =>
  team !== undefined && !handoff && !router;

/** Its team is not done. An agent that has one turn left has no time for another round. */
export const isCoordinating = ({ state, definition }: DecisionView): boolean =>
  definition.team !== undefined && !state.team.over && !state.systemNotes.has(LAST_TURN);

/** The call that ends its run; undefined: it has no report to give (S3-42). */
export function reportTool(view: DecisionView): string | undefined {
  if (isTeamMember(view.definition, view.state.start!)) return undefined;
  return isCoordinating(view) ? CONCLUDE_TEAM : FINAL_REPORT;
}

/** What a member leaves after its turn; undefined: it has said nothing. */
export function memberEnding({ state }: DecisionView, stopReason: StopReason): Ending | undefined {
  const text = state.latest?.text.trim() ?? "";
  const team = teamTurn(state, text);
  const summary = text || team.vote?.reason || team.broadcasts.at(-1);
  return summary === undefined ? undefined : { status: "completed", stopReason, summary, team };
}

/** What a member has said with its calls; who broadcast nothing is heard by its last words. */
export function teamTurn({ team: { spoken } }: RunState, words: string): TeamTurn {
  const { broadcasts, vote } = spoken;
  const said = broadcasts.length > 0 || words === "" ? broadcasts : [words];
  return { broadcasts: [...said], ...(vote ? { vote } : {}) };
}
