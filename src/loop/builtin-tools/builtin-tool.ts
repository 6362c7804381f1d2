// The complete built-in tool: its declaration, and the functions that propose and perform its calls.

import type { Effect } from "../../journal/definition.ts";
import type { EventBody } from "../../journal/events.ts";
import type { Grant } from "../../permissions/permission.ts";
import type { ToolCall } from "../../projections/folds/tool-call.ts";
import { judgeCall, proposalEvent, settleVerdict } from "../calls/judge.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import type { DeclaredTool } from "./declared/declared-tool.ts";

export interface BuiltinTool extends DeclaredTool {
  /** Returns the event that records the verdict on a call. If the call cannot be proposed, returns the call's result. */
  propose(call: ToolCall, grants: readonly Grant[], run: RunJournal, parts: LoopParts): Promise<EventBody>;
  /** Performs a call. A tool without this function starts a child, or asks a person, and the loop waits for the answer. */
  perform?(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<void>;
}

/** Builds a tool that the loop performs. Its calls are proposed like all other calls. */
export function loopTool(
  tool: DeclaredTool,
  {
    perform,
    preview = showInput,
    escalation,
    effectOf = () => tool.effect,
  }: {
    perform: NonNullable<BuiltinTool["perform"]>;
    /** The preview that a person sees before deciding on the call. */
    preview?(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<string>;
    /** Names the actions that this agent is not allowed to perform, but that the agent it calls would be allowed to perform (A67). */
    escalation?(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<string | undefined>;
    /** The effect of a call, if the calls of the tool have several effects. */
    effectOf?(call: ToolCall): Effect;
  },
): BuiltinTool {
  const { name } = tool;
  return {
    ...tool,
    perform,
    async propose(call, grants, run, parts) {
      const effect = effectOf(call);
      const input = tool.judgedInput ? tool.judgedInput(call) : call.input;
      const raises = await escalation?.(call, run, parts);
      const judged = settleVerdict(judgeCall({ name, raises }, input, effect, grants, run, parts), call, run);
      return proposalEvent(call, { name, effect, ...judged }, await preview(call, run, parts), run, parts);
    },
  };
}

export function resultOf(call: ToolCall, output: unknown, isError = false): EventBody {
  return { type: "TOOL_RESULT", payload: { toolCallId: call.id, output, ...(isError ? { isError } : {}) } };
}

const showInput = async ({ input }: ToolCall): Promise<string> => JSON.stringify(input, null, 2);
