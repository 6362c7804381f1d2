// What a call is answered with that is not run as it is: it needs no run, or it cannot have one.

import { z } from "zod";
import type { EventBody } from "../journal/events.ts";
import { ROUTE_TO } from "../patterns/router.ts";
import type { ToolCall } from "../projections/folds/tool-call.ts";
import type { AnyTool } from "../tools/tool.ts";
import { isDelegation } from "./builtin-tools/declared/delegate.ts";
import { answerClosing } from "./builtin-tools/declared/team-tools.ts";
import { isLoopTool, mayRun } from "./builtin-tools/index.ts";
import type { RunJournal } from "./drive/run-journal.ts";
import type { LoopParts } from "./parts.ts";

/** The result of a call that needs no run, or cannot have one: in words that tell the model what it may do. */
export function immediateResult(
  call: ToolCall,
  index: number,
  run: RunJournal,
  parts: LoopParts,
): EventBody | undefined {
  const { definition, state } = run;
  const max = state.start!.limits.maxToolCallsPerTurn;
  if (state.start!.mode === "chat" && index > 0) return failedResult(call, ONE_AT_A_TIME, "deferred");
  if (index >= max)
    return failedResult(call, `At most ${max} calls at a time: ask again for this one.`, "deferred");
  const answered = answerClosing(call, run);
  if (answered) return answered;
  // H3: a router's choice counts for no depth, and is heard in a last turn too; so it is nobody else's way to delegate.
  const chooses = definition.router !== undefined && call.name === ROUTE_TO;
  if (state.latest?.purpose === "final" && !chooses) return failedResult(call, LAST_TURN_IS_OVER, "denied");
  const delegates = !definition.router && isDelegation(call.name) && call.name !== ROUTE_TO;
  if (chooses || delegates) return undefined;
  if (isLoopTool(call.name) && mayRun(call.name, run, parts)) return undefined;
  const tool = parts.tools.get(call.name);
  if (!tool || !parts.offers(definition, tool))
    return failedResult(call, notOffered(call.name, run, parts), "denied");
  const problem = inputProblem(call, tool);
  return problem === undefined ? undefined : failedResult(call, problem, "error");
}

const LAST_TURN_IS_OVER = "Not run: this was the last turn, and only final_report was left.";
const ONE_AT_A_TIME = "One call at a time: ask again for this one if it is still needed.";

function notOffered(name: string, { definition }: RunJournal, parts: LoopParts): string {
  const tools = [...new Set(parts.tools.values())].filter((tool) => parts.offers(definition, tool));
  const names = definition.router ? [ROUTE_TO] : tools.map((tool) => tool.name);
  return `There is no tool ${JSON.stringify(name)} for you. You have: ${names.join(", ") || "none"}.`;
}

function inputProblem(call: ToolCall, tool: AnyTool): string | undefined {
  if (call.invalid !== undefined) return invalidJsonMessage(call);
  const parsed = tool.input.safeParse(call.input);
  return parsed.success
    ? undefined
    : `The input of ${tool.name} does not fit: ${z.prettifyError(parsed.error)}`;
}

export const invalidJsonMessage = (call: ToolCall): string =>
  `The input of ${call.name} was no valid JSON; nothing was done. It began: ${call.invalid!.slice(0, 200)}`;

export function failedResult(
  call: ToolCall,
  output: string,
  outcome: "deferred" | "denied" | "error",
): EventBody {
  return { type: "TOOL_RESULT", payload: { toolCallId: call.id, output, isError: true, outcome } };
}
