// `final_report`: an agent ends its run with a structured result. An agent may also end with plain text.

import { z } from "zod";
import { messageOf } from "../../../errors.ts";
import type { Definition } from "../../../journal/definition.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import { reportTool } from "../../../patterns/team-role.ts";
import { FINAL_REPORT } from "../../../projections/folds/tool-call.ts";
import { type DeclaredTool, jsonSchema, type OfferedTool } from "./declared-tool.ts";

const Report = z.object({
  summary: z.string().describe("What was done and found, in one or two sentences."),
  details: z.string().optional().describe("Everything else that the reader needs."),
  warnings: z.array(z.string()).optional().describe("What went wrong or needs care."),
  suggestions: z.array(z.string()).optional().describe("What could be done next."),
  output: z.unknown().optional().describe("The result as data, where one is asked for."),
});
type Report = z.infer<typeof Report>;

export const REPORT_DESCRIPTION =
  "End your work with this report. Call it alone, after you have seen the results of all your other calls.";

export const finalReport: DeclaredTool = {
  name: FINAL_REPORT,
  kind: "closing",
  effect: "read",
  reaches: [],
  offered: (view) =>
    mayReport(view.definition) && reportTool(view) === FINAL_REPORT
      ? offerReport(FINAL_REPORT, REPORT_DESCRIPTION, view.definition)
      : [],
};

/** Whether the agent may report. A router may do so only if its file has `allowAnswer`. */
export const mayReport = ({ router }: Definition): boolean => !router || router.allowAnswer === true;

/** The offer of a tool that takes a report. Its schema depends only on the definition, so it is made once per definition. */
export function offerReport(
  name: string,
  description: string,
  definition: Definition,
): readonly OfferedTool[] {
  const schema = schemas.get(definition) ?? reportSchema(definition);
  schemas.set(definition, schema);
  return [{ name, description, schema }];
}

const schemas = new WeakMap<Definition, unknown>();

/** The schema of a report, with the agent's own output schema in it. */
function reportSchema(definition: Definition): unknown {
  const schema = jsonSchema(Report, true);
  if (definition.output === undefined) return schema;
  const properties = { ...(schema["properties"] as object), output: definition.output };
  return { ...schema, properties, required: ["summary", "output"] };
}

/** The report in the latest answer, if it is valid and the only call. */
export function reportOf(view: DecisionView): Report | undefined {
  const { state, definition } = view;
  const calls = [...state.calls.values()];
  const [call] = calls;
  if (!call || calls.length !== 1 || call.name !== reportTool(view) || call.result) return undefined;
  return reportProblem(call.input, definition) === undefined ? Report.parse(call.input) : undefined;
}

/** Tells the model why a report cannot be accepted. Undefined: it can. */
export function reportProblem(input: unknown, definition: Definition): string | undefined {
  if (!mayReport(definition)) return "You do not answer yourself: choose who does with `route_to`.";
  const parsed = Report.safeParse(input);
  if (!parsed.success) return `The report does not fit: ${z.prettifyError(parsed.error)}`;
  if (definition.output === undefined) return undefined;
  const fits = schemaOf(definition.output).safeParse(parsed.data.output);
  return fits.success ? undefined : `\`output\` does not fit its schema: ${z.prettifyError(fits.error)}`;
}

/** Why an agent's own schemas cannot be used. This is checked before a run costs anything. */
export function schemaProblem(definition: Definition): string | undefined {
  try {
    if (definition.output !== undefined) schemaOf(definition.output);
    if (definition.input !== undefined) schemaOf(definition.input);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Why a run's input does not fit its agent's schema. Undefined: it fits. */
export function inputProblem(input: unknown, definition: Definition): string | undefined {
  if (definition.input === undefined) return undefined;
  const fits = schemaOf(definition.input).safeParse(input ?? {});
  return fits.success ? undefined : z.prettifyError(fits.error);
}

function schemaOf(schema: unknown): z.ZodType {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
}
