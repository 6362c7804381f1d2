// `AskUser`: an agent asks a person a question.
// A question is proposed like a call that needs approval, so the same policy applies to questions and approvals.
// The person's answer is the only result of the call (D0).

import { z } from "zod";
import type { EventBody } from "../../../journal/events.ts";
import { inputMisfit, invalidJson, toolResult } from "../../../patterns/events.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import { ASK_USER, type ToolCall } from "../../../projections/folds/tool-call.ts";
import { type DeclaredTool, offerOf, type ToolGate } from "./declared-tool.ts";

const Input = z.object({
  question: z.string().trim().min(1).describe("One question, with what the person must know to answer it."),
  choices: z.array(z.string().trim().min(1)).min(1).optional().describe("The answers that there are."),
  why: z.string().optional().describe("What you will do with the answer."),
});

const offer = offerOf(
  ASK_USER,
  "Ask the person you work for, and wait for the answer. Only what you cannot find out yourself and must not guess.",
  Input,
);

export const askUser: DeclaredTool = {
  name: ASK_USER,
  aliases: ["AskUserQuestion", "ask_user"],
  kind: "question",
  effect: "read",
  reaches: [],
  offered: (view, gate) => (mayAsk(view, gate) ? offer() : []),
};

/** Whether the agent is allowed to ask. A chat ignores the agent's tool list. In other runs, an agent without such a list must be attended. */
function mayAsk({ definition, state }: DecisionView, gate: ToolGate): boolean {
  const { mode, attended } = state.start!;
  const isChat = mode === "chat";
  if (definition.tools.allow === undefined && !attended && !isChat) return false;
  const { allow: _, ...open } = definition.tools;
  return gate.offers(isChat ? { ...definition, tools: open } : definition, askUser);
}

/** Why a question cannot be asked. Undefined if it can be asked. */
export const questionProblem = (call: ToolCall): string | undefined =>
  invalidJson(call) ?? inputMisfit(call.name, Input, call.input);

/** The result of a question that was answered, declined or denied, or has expired. Empty while the question is open. */
export function questionResult({ id, proposal, decision }: ToolCall): EventBody[] {
  if (decision?.decision === "answer")
    return [toolResult(id, `Answered by ${decision.by}: ${decision.answer ?? ""}`)];
  const refusal = (why: string): EventBody[] => [toolResult(id, `${why} ${GO_ON}`, "denied")];
  if (decision?.decision === "reject") {
    const note = decision.note ? `: ${decision.note}` : ".";
    return refusal(`${decision.by} did not want to answer${note}`);
  }
  if (decision?.decision === "expire") return refusal("Nobody answered in time.");
  if (proposal?.verdict !== "deny") return [];
  return refusal(proposal.unattended ? "Nobody is there to answer." : `Not allowed (${proposal.rule}).`);
}

const GO_ON = "Go on without, and say in your report what you assumed.";
