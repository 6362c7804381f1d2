// A whole built-in tool: its declaration, and how its calls are proposed and performed.

import type { EventBody } from "../../journal/events.ts";
import type { Grant } from "../../permissions/permission.ts";
import type { ToolCall } from "../../projections/folds/tool-call.ts";
import { applyUnattendedPolicy, judgeCall, proposalEvent } from "../calls/judge.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import type { DeclaredTool } from "./declared/declared-tool.ts";

export interface BuiltinTool extends DeclaredTool {
  /** The event that records the verdict on a call; or the call's result, if the call cannot be proposed. */
  propose(call: ToolCall, grants: readonly Grant[], run: RunJournal, parts: LoopParts): Promise<EventBody>;
  /** Performs a call that may begin. Absent: the loop starts a child for it, or waits for a person's answer. */
  perform?(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<void>;
}

/** A tool that the loop performs, proposed like any other call. */
export function loopTool(
  tool: DeclaredTool,
  {
    perform,
    preview = showInput,
    escalation,
  }: {
    perform: NonNullable<BuiltinTool["perform"]>;
    /** The text that a person sees before deciding. */
    preview?(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<string>;
    /** Names the abilities of another agent that the call would use and this agent lacks (A67). */
    escalation?(call: ToolCall, run: RunJournal, parts: LoopParts): Promise<string | undefined>;
  },
): BuiltinTool {
  const { effect } = tool;
  return {
    ...tool,
    perform,
    async propose(call, grants, run, parts) {
      const { name, input } = call;
      const raises = await escalation?.(call, run, parts);
      const judged = applyUnattendedPolicy(
        judgeCall({ name, raises }, input, effect, grants, run, parts),
        run,
      );
      return proposalEvent(call, { name, effect, ...judged }, await preview(call, run, parts), run, parts);
    },
  };
}

/** The result of a call that the loop has performed. */
export function resultOf(call: ToolCall, output: unknown, isError = false): EventBody {
  return { type: "TOOL_RESULT", payload: { toolCallId: call.id, output, ...(isError ? { isError } : {}) } };
}

const showInput = async ({ input }: ToolCall): Promise<string> => JSON.stringify(input, null, 2);
