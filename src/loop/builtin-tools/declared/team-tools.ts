// The calls by which an agent ends its turn or its run: those of a team, and the report. Which of them it has depends on
// where it stands. They have no effect but to be in the journal, so they are neither judged nor run: a result is enough.

import { z } from "zod";
import type { Definition } from "../../../journal/definition.ts";
import type { EventBody } from "../../../journal/events.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import { isCoordinating, isTeamMember, reportTool } from "../../../patterns/team-role.ts";
import {
  BROADCAST,
  CONCLUDE_TEAM,
  FINAL_REPORT,
  type ToolCall,
  VOTE_CONCLUDE,
} from "../../../projections/folds/tool-call.ts";
import type { OfferedTool } from "./delegate.ts";
import { REPORT_DESCRIPTION, reportProblem, reportSchema } from "./final-report.ts";

const Broadcast = z.object({
  message: z.string().trim().min(1).describe("What the others should know. They see this, not your work."),
});
const Vote = z.object({
  ready: z.boolean().describe("True: for you, the discussion may end."),
  reason: z.string().trim().min(1).describe("Why, or what is still open. The others read it."),
});

export const TEAM_TOOLS: readonly string[] = [BROADCAST, VOTE_CONCLUDE, CONCLUDE_TEAM];

/** By which an agent ends its turn or its run, as it stands now. The report comes last. */
export function closingTools(view: DecisionView): OfferedTool[] {
  const { definition } = view;
  if (definition.router && !definition.router.allowAnswer) return [];
  const known = madeFor.get(definition) ?? toolsFor(definition);
  madeFor.set(definition, known);
  return namesFor(view).map((name) => known[name]!);
}

/** A schema is the same for every turn of every run of a definition: made once. */
const madeFor = new WeakMap<Definition, Record<string, OfferedTool>>();

function toolsFor(definition: Definition): Record<string, OfferedTool> {
  const schema = reportSchema(definition);
  const tools: OfferedTool[] = [
    { name: BROADCAST, description: BROADCAST_DESCRIPTION, schema: shown(Broadcast) },
    { name: VOTE_CONCLUDE, description: VOTE_DESCRIPTION, schema: shown(Vote) },
    { name: CONCLUDE_TEAM, description: `End the discussion. ${REPORT_DESCRIPTION}`, schema },
    { name: FINAL_REPORT, description: REPORT_DESCRIPTION, schema },
  ];
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}

/** Undefined: it is another call. A report that can be taken does not come here: it ends the run. */
export function answerClosing(call: ToolCall, view: DecisionView): EventBody | undefined {
  if (call.name === reportTool(view)) return refuseReport(call, view);
  const { definition, state } = view;
  const inTeam = definition.team || isTeamMember(definition, state.start!);
  return inTeam && [...TEAM_TOOLS, FINAL_REPORT].includes(call.name) ? answerInTeam(call, view) : undefined;
}

function refuseReport(call: ToolCall, { state, definition }: DecisionView): EventBody {
  if (state.calls.size > 1) return answer(call, `Call ${call.name} alone, ${AFTERWARDS}`, "deferred");
  return answer(call, problemOf(call, reportProblem(call.input, definition))!, "error");
}

function answerInTeam(call: ToolCall, view: DecisionView): EventBody {
  const names = namesFor(view);
  if (!names.includes(call.name)) {
    const there = names.map((name) => `\`${name}\``).join(" and ");
    return answer(call, `There is no \`${call.name}\` for you now: you have ${there}.`, "denied");
  }
  const problem = problemOf(call, misfit(call, view));
  if (problem !== undefined) return answer(call, problem, "error");
  const early = call.name !== BROADCAST && [...view.state.calls.values()].some(isElse);
  return early
    ? answer(call, `Call ${call.name} ${AFTERWARDS}`, "deferred")
    : answer(call, RECEIVED[call.name]!);
}

const AFTERWARDS = "after you have seen the results of your other calls.";

function problemOf({ name, invalid }: ToolCall, problem: string | undefined): string | undefined {
  return invalid === undefined
    ? problem
    : `The input of ${name} was no valid JSON; nothing was done. It began: ${invalid.slice(0, 200)}`;
}

function namesFor(view: DecisionView): string[] {
  if (isCoordinating(view)) return [BROADCAST, CONCLUDE_TEAM];
  return isTeamMember(view.definition, view.state.start!) ? [BROADCAST, VOTE_CONCLUDE] : [FINAL_REPORT];
}

function misfit({ name, input }: ToolCall, { definition }: DecisionView): string | undefined {
  if (name === CONCLUDE_TEAM) return reportProblem(input, definition);
  const parsed = (name === BROADCAST ? Broadcast : Vote).safeParse(input);
  return parsed.success ? undefined : `The input of ${name} does not fit: ${z.prettifyError(parsed.error)}`;
}

const isElse = ({ name }: ToolCall): boolean => !TEAM_TOOLS.includes(name);

function shown(schema: z.ZodType): unknown {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
  return json;
}

function answer(call: ToolCall, output: string, outcome?: "denied" | "deferred" | "error"): EventBody {
  const wrong = outcome === undefined ? {} : { isError: true as const, outcome };
  return { type: "TOOL_RESULT", payload: { toolCallId: call.id, output, ...wrong } };
}

const BROADCAST_DESCRIPTION =
  "Say something to everybody in the team. They hear it when the next round begins.";
const VOTE_DESCRIPTION = "End your turn in this round, and say whether the discussion may end.";

const RECEIVED: Record<string, string> = {
  [BROADCAST]: "The others hear it when the next round begins.",
  [VOTE_CONCLUDE]: "Received.",
  [CONCLUDE_TEAM]:
    "Your team is done. Now say what came of it to the team that you are a member of, with `broadcast`, and end your turn with `vote_conclude`.",
};
