// Proposes `AskUser`: a person is asked the question, unless a rule forbids it.

import { toolResult } from "../../patterns/events.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import type { Grant, Verdict } from "../../permissions/permission.ts";
import { ASK_USER, type ToolCall } from "../../projections/folds/tool-call.ts";
import { itemTerms, type JudgeParts, judgeCall, settleVerdict } from "../calls/judge.ts";
import type { BuiltinTool } from "./builtin-tool.ts";
import { askUser as declared, questionProblem } from "./declared/ask-user.ts";

export const askUser: BuiltinTool = {
  ...declared,
  async propose(call, grants, run, parts) {
    const problem = questionProblem(call);
    if (problem !== undefined) return toolResult(call.id, problem, "error");
    const judged = settleVerdict(judgeQuestion(call, grants, run, parts), call, run);
    const base = { toolCallId: call.id, name: ASK_USER, effect: declared.effect, ...judged };
    const payload = judged.verdict === "ask" ? { ...base, ...itemTerms(run, parts) } : base;
    return { type: "TOOL_PROPOSED", payload };
  },
};

export function judgeQuestion(
  { input }: ToolCall,
  grants: readonly Grant[],
  view: DecisionView,
  parts: JudgeParts,
): Verdict {
  const rules = judgeCall(declared, input, declared.effect, grants, view, parts);
  return rules.verdict === "deny" ? rules : { verdict: "ask", rule: "a question is for a person" };
}
