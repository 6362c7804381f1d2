// How an agent ends: `final_report`, or plain text. Pure: the same thought gives the same report.

import { z } from "zod";
import { messageOf } from "../../../errors.ts";
import type { Definition } from "../../../journal/definition.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import { reportTool } from "../../../patterns/team-role.ts";

export const Report = z.object({
  summary: z.string().describe("What was done and found, in one or two sentences."),
  details: z.string().optional().describe("Everything else that the reader needs."),
  warnings: z.array(z.string()).optional().describe("What went wrong or needs care."),
  suggestions: z.array(z.string()).optional().describe("What could be done next."),
  output: z.unknown().optional().describe("The result as data, where one is asked for."),
});
export type Report = z.infer<typeof Report>;

export const REPORT_DESCRIPTION =
  "End your work with this report. Call it alone, after you have seen the results of all your other calls.";

/** The schema that the model is shown: with the agent's own output schema in its place. */
export function reportSchema(definition: Definition): unknown {
  const { $schema: _, ...schema } = z.toJSONSchema(Report) as Record<string, unknown>;
  if (definition.output === undefined) return schema;
  const properties = { ...(schema["properties"] as object), output: definition.output };
  return { ...schema, properties, required: ["summary", "output"] };
}

/** The report that the latest thought makes, if it is one and alone. */
export function reportOf(view: DecisionView): Report | undefined {
  const { state, definition } = view;
  const calls = [...state.calls.values()];
  const [call] = calls;
  if (!call || calls.length !== 1 || call.name !== reportTool(view) || call.result) return undefined;
  return reportProblem(call.input, definition) === undefined ? Report.parse(call.input) : undefined;
}

/** Why a report cannot be taken, in a sentence for the model; undefined if it can. */
export function reportProblem(input: unknown, definition: Definition): string | undefined {
  if (definition.router && !definition.router.allowAnswer)
    return "You do not answer yourself: choose who does with `route_to`.";
  const parsed = Report.safeParse(input);
  if (!parsed.success) return `The report does not fit: ${z.prettifyError(parsed.error)}`;
  if (definition.output === undefined) return undefined;
  const fits = schemaOf(definition.output).safeParse(parsed.data.output);
  return fits.success ? undefined : `\`output\` does not fit its schema: ${z.prettifyError(fits.error)}`;
}

/** Why nothing could ever be checked against this agent's schemas; known before a run is paid for. */
export function schemaProblem(definition: Definition): string | undefined {
  try {
    if (definition.output !== undefined) schemaOf(definition.output);
    if (definition.input !== undefined) schemaOf(definition.input);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Why what an agent is to be started with does not fit what it asks for; undefined if it does. */
export function inputProblem(input: unknown, definition: Definition): string | undefined {
  if (definition.input === undefined) return undefined;
  const fits = schemaOf(definition.input).safeParse(input ?? {});
  return fits.success ? undefined : z.prettifyError(fits.error);
}

function schemaOf(schema: unknown): z.ZodType {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
}
