// `broadcast`, `vote_conclude` and `conclude_team`, with which agents work as a team.
// These tools have no effect beyond the journal, so a call is neither judged nor run, and gets its result immediately.
// A report that cannot be accepted gets its result immediately, too.

import { z } from "zod";
import type { EventBody } from "../../../journal/events.ts";
import { toolResult } from "../../../patterns/events.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import { isCoordinating, isTeamMember, reportTool } from "../../../patterns/team-role.ts";
import {
  BROADCAST,
  CONCLUDE_TEAM,
  FINAL_REPORT,
  type ToolCall,
  VOTE_CONCLUDE,
} from "../../../projections/folds/tool-call.ts";
import { type DeclaredTool, inputMisfit, invalidJson, type OfferedTool, offerOf } from "./declared-tool.ts";
import { mayReport, offerReport, REPORT_DESCRIPTION, reportProblem } from "./final-report.ts";

interface TeamTool extends DeclaredTool {
  /** Why a call's input cannot be used. */
  problem(input: unknown, view: DecisionView): string | undefined;
  /** The result of an accepted call. */
  readonly received: string;
  /** The agent may make other calls in the same turn. */
  readonly besideOthers?: true;
}

const Broadcast = z.object({
  message: z.string().trim().min(1).describe("What the others should know. They see this, not your work."),
});
const Vote = z.object({
  ready: z.boolean().describe("True: for you, the discussion may end."),
  reason: z.string().trim().min(1).describe("Why, or what is still open. The others read it."),
});

const broadcast: TeamTool = {
  ...teamTool(
    BROADCAST,
    offerOf(
      BROADCAST,
      "Say something to everybody in the team. They hear it when the next round begins.",
      Broadcast,
    ),
  ),
  problem: (input) => inputMisfit(BROADCAST, Broadcast, input),
  received: "The others hear it when the next round begins.",
  besideOthers: true,
};

const voteConclude: TeamTool = {
  ...teamTool(
    VOTE_CONCLUDE,
    offerOf(VOTE_CONCLUDE, "End your turn in this round, and say whether the discussion may end.", Vote),
  ),
  problem: (input) => inputMisfit(VOTE_CONCLUDE, Vote, input),
  received: "Received.",
};

const concludeTeam: TeamTool = {
  ...teamTool(CONCLUDE_TEAM, ({ definition }) =>
    offerReport(CONCLUDE_TEAM, `End the discussion. ${REPORT_DESCRIPTION}`, definition),
  ),
  problem: (input, { definition }) => reportProblem(input, definition),
  received:
    "Your team is done. Now say what came of it to the team that you are a member of, with `broadcast`, and end your turn with `vote_conclude`.",
};

export const TEAM_TOOLS: readonly TeamTool[] = [broadcast, voteConclude, concludeTeam];

function teamTool(name: string, offer: (view: DecisionView) => readonly OfferedTool[]): DeclaredTool {
  return {
    name,
    kind: "closing",
    effect: "read",
    reaches: [],
    offered: (view) => (mayReport(view.definition) && closingNames(view).includes(name) ? offer(view) : []),
  };
}

/** The tools by which an agent ends its turn or its run now. */
function closingNames(view: DecisionView): string[] {
  if (isCoordinating(view)) return [BROADCAST, CONCLUDE_TEAM];
  return isTeamMember(view.definition, view.state.start!) ? [BROADCAST, VOTE_CONCLUDE] : [FINAL_REPORT];
}

/** The result of a call that ends a turn or a run. Undefined: the call is another one. A valid report ends the run instead. */
export function answerClosingCall(call: ToolCall, view: DecisionView): EventBody | undefined {
  if (call.name === reportTool(view)) return refuseReport(call, view);
  const { definition, state } = view;
  const inTeam = definition.team || isTeamMember(definition, state.start!);
  const isClosing = call.name === FINAL_REPORT || teamToolNamed(call.name) !== undefined;
  return inTeam && isClosing ? answerInTeam(call, view) : undefined;
}

const teamToolNamed = (name: string): TeamTool | undefined => TEAM_TOOLS.find((tool) => tool.name === name);

function refuseReport(call: ToolCall, { state, definition }: DecisionView): EventBody {
  if (state.calls.size > 1) return toolResult(call.id, `Call ${call.name} alone, ${AFTERWARDS}`, "deferred");
  return toolResult(call.id, invalidJson(call) ?? reportProblem(call.input, definition)!, "error");
}

function answerInTeam(call: ToolCall, view: DecisionView): EventBody {
  const names = closingNames(view);
  const tool = teamToolNamed(call.name);
  if (!tool || !names.includes(call.name)) {
    const available = names.map((name) => `\`${name}\``).join(" and ");
    return toolResult(call.id, `There is no \`${call.name}\` for you now: you have ${available}.`, "denied");
  }
  const problem = invalidJson(call) ?? tool.problem(call.input, view);
  if (problem !== undefined) return toolResult(call.id, problem, "error");
  const isEarly =
    !tool.besideOthers && [...view.state.calls.values()].some(({ name }) => !teamToolNamed(name));
  return isEarly
    ? toolResult(call.id, `Call ${call.name} ${AFTERWARDS}`, "deferred")
    : toolResult(call.id, tool.received);
}

const AFTERWARDS = "after you have seen the results of your other calls.";
