// The tools that close a turn or a run.
// An agent ends its run with plain text. Only an agent with an output schema and the coordinator of a team are offered `final_report`.
// If another agent calls `final_report` anyway, the call is accepted.
// The tools `broadcast`, `vote_conclude` and `conclude_team` are for agents that work as a team.
// These tools have no effect beyond the journal, so their calls are neither judged nor run. Each call gets its result immediately.
// A report that cannot be accepted also gets its result immediately.

import { z } from "zod";
import { messageOf } from "../../../errors.ts";
import type { Definition } from "../../../journal/definition.ts";
import type { EventBody } from "../../../journal/events.ts";
import { isStrictSchema } from "../../../journal/strict-schema.ts";
import { omitUndefined } from "../../../omit-undefined.ts";
import { inputMisfit, invalidJson, toolResult } from "../../../patterns/events.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import { isCoordinating, isTeamMember, reportTool } from "../../../patterns/team-role.ts";
import {
  BROADCAST,
  CONCLUDE_TEAM,
  FINAL_REPORT,
  type ToolCall,
  VOTE_CONCLUDE,
} from "../../../projections/folds/tool-call.ts";
import { type DeclaredTool, jsonSchema, type OfferedTool, offerOf } from "./declared-tool.ts";

const Report = z.object({
  summary: z.string().describe("What was done and found, in one or two sentences."),
  details: z.string().optional().describe("Everything else that the reader needs."),
  warnings: z.array(z.string()).optional().describe("What went wrong or needs care."),
  suggestions: z.array(z.string()).optional().describe("What could be done next."),
  output: z.unknown().optional().describe("The result as data, where one is asked for."),
});

type Report = z.infer<typeof Report>;

const REPORT_DESCRIPTION =
  "End your work with this report. Call it alone, after you have seen the results of all your other calls.";

export const finalReport: DeclaredTool = {
  name: FINAL_REPORT,
  kind: "closing",
  effect: "read",
  reaches: [],
  offered: (view) =>
    endsWithReport(view.definition) && mayReport(view.definition) && offeredNames(view).includes(FINAL_REPORT)
      ? offerReport(FINAL_REPORT, REPORT_DESCRIPTION, view.definition)
      : [],
};

/** Whether the agent ends its run with `final_report`: it has an output schema, or it coordinates a team (S3-42). */
export const endsWithReport = ({ output, team }: Definition): boolean =>
  output !== undefined || team !== undefined;

/** Whether the agent is allowed to report. A router is allowed to report only if its file has `allowAnswer`. */
const mayReport = ({ router }: Definition): boolean => !router || router.allowAnswer === true;

/** The report tool as the model sees it. The tool's schema is built once per agent definition. */
function offerReport(name: string, description: string, definition: Definition): readonly OfferedTool[] {
  const schema = schemas.get(definition) ?? reportSchema(definition);
  schemas.set(definition, schema);
  return [{ name, description, schema }];
}

const schemas = new WeakMap<Definition, unknown>();

/** The schema of a report. It contains the agent's own output schema. */
function reportSchema(definition: Definition): unknown {
  const schema = jsonSchema(Report, true);
  if (definition.output === undefined) return schema;
  const properties = {
    ...(schema["properties"] as Record<string, object>),
    output: definition.output as object,
  };
  const strict = { ...schema, properties: withNull(properties), required: Object.keys(properties) };
  return isStrictSchema(strict) ? strict : { ...schema, properties, required: ["summary", "output"] };
}

/** Makes each optional property required but nullable, because a strict schema has no optional properties. */
function withNull({ summary, output, ...optional }: Record<string, object>): Record<string, object> {
  const nullable = Object.entries(optional).map(([name, { description, ...schema }]: [string, Described]) => [
    name,
    { ...omitUndefined({ description }), anyOf: [schema, { type: "null" }] },
  ]);
  return { summary: summary!, ...Object.fromEntries(nullable), output: output! };
}

type Described = { description?: string };

/** Removes the parts of a report that are null. */
function givenParts(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => name === "output" || value !== null),
  );
}

/** The report in the model's latest answer, if the report is valid and the answer has no other call. */
export function reportOf(view: DecisionView): Report | undefined {
  const { state, definition } = view;
  const calls = [...state.calls.values()];
  const [call] = calls;
  if (!call || calls.length !== 1 || call.name !== reportTool(view) || call.result) return undefined;
  return reportProblem(call.input, definition) === undefined
    ? Report.parse(givenParts(call.input))
    : undefined;
}

/** Tells the model why a report is refused. Undefined if the report is accepted. */
export function reportProblem(input: unknown, definition: Definition): string | undefined {
  if (!mayReport(definition)) return "You do not answer yourself: choose who does with `route_to`.";
  const parsed = Report.safeParse(givenParts(input));
  if (!parsed.success) return `The report does not fit: ${z.prettifyError(parsed.error)}`;
  if (definition.output === undefined) return undefined;
  const fits = schemaOf(definition.output).safeParse(parsed.data.output);
  return fits.success ? undefined : `\`output\` does not fit its schema: ${z.prettifyError(fits.error)}`;
}

interface TeamTool extends DeclaredTool {
  /** Why a call's input cannot be used. */
  problem(input: unknown, view: DecisionView): string | undefined;
  /** The result of an accepted call. */
  readonly received: string;
  /** True if the agent can make other calls in the same turn. */
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
    offered: (view) => (mayReport(view.definition) && offeredNames(view).includes(name) ? offer(view) : []),
  };
}

/** The closing tools that the model sees. The list stays the same for the whole run, so that the provider's cache can be used. */
function offeredNames({ definition, state }: DecisionView): string[] {
  const own = isTeamMember(definition, state.start!) ? [BROADCAST, VOTE_CONCLUDE] : [FINAL_REPORT];
  return definition.team ? [BROADCAST, CONCLUDE_TEAM, ...own] : own;
}

/** The closing tools whose calls are accepted now. */
function closingNames(view: DecisionView): string[] {
  if (isCoordinating(view)) return [BROADCAST, CONCLUDE_TEAM];
  return isTeamMember(view.definition, view.state.start!) ? [BROADCAST, VOTE_CONCLUDE] : [FINAL_REPORT];
}

/** The immediate result of a closing call. Undefined for all other calls. Not for valid reports: they get their result when they end the run. */
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

/** Says why the input or output schema of an agent cannot be used. Called before a run costs anything. */
export function schemaProblem(definition: Definition): string | undefined {
  try {
    if (definition.output !== undefined) schemaOf(definition.output);
    if (definition.input !== undefined) schemaOf(definition.input);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Why a run's input does not match its agent's schema. Undefined if it matches. */
export function inputProblem(input: unknown, definition: Definition): string | undefined {
  if (definition.input === undefined) return undefined;
  const fits = schemaOf(definition.input).safeParse(input ?? {});
  return fits.success ? undefined : z.prettifyError(fits.error);
}

function schemaOf(schema: unknown): z.ZodType {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
}
