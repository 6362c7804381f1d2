// `AskUser`: an agent asks a person a question. The question is proposed like a call that needs approval, so the same policy
// says who may answer, until when, and what happens in an unattended run. The answer is the call's one result (D0).

import { z } from "zod";
import type { EventBody } from "../../../journal/events.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import { ASK_USER, type ToolCall } from "../../../projections/folds/tool-call.ts";
import { type DeclaredTool, jsonSchema, misfit, offerOf, type ToolGate } from "./declared-tool.ts";

const Input = z.object({
  question: z.string().trim().min(1).describe("One question, with what the person must know to answer it."),
  choices: z.array(z.string().trim().min(1)).min(1).optional().describe("The answers that there are."),
  why: z.string().optional().describe("What you will do with the answer."),
});

const offer = offerOf({
  name: ASK_USER,
  description:
    "Ask the person you work for, and wait for the answer. Only what you cannot find out yourself and must not guess.",
  schema: () => jsonSchema(Input),
});

export const askUser: DeclaredTool = {
  name: ASK_USER,
  aliases: ["AskUserQuestion", "ask_user"],
  kind: "question",
  effect: "read",
  reaches: [],
  offered: (view, gate) => (mayAsk(view, gate) ? offer() : []),
};

/** An agent may ask in a chat, if its file lists the tool, or if its file lists nothing and the run is attended. */
function mayAsk({ definition, state }: DecisionView, gate: ToolGate): boolean {
  const { mode, attended } = state.start!;
  const isChat = mode === "chat";
  if (definition.tools.allow === undefined && !attended && !isChat) return false;
  const { allow: _, ...open } = definition.tools;
  return gate.offers(isChat ? { ...definition, tools: open } : definition, askUser);
}

/** Why a question cannot be asked; undefined if it can. */
export function questionProblem({ name, input }: ToolCall): string | undefined {
  const parsed = Input.safeParse(input);
  return parsed.success ? undefined : misfit(name, parsed.error);
}

/** The result of a question that was answered, declined or denied, or has expired. Empty: it is still open. */
export function questionResult({ id, proposal, decision }: ToolCall): EventBody[] {
  const result = (output: string, isAnswer = false): EventBody[] => [
    {
      type: "TOOL_RESULT",
      payload: { toolCallId: id, output, ...(isAnswer ? {} : { isError: true, outcome: "denied" }) },
    },
  ];
  if (decision?.decision === "answer")
    return result(`Answered by ${decision.by}: ${decision.answer ?? ""}`, true);
  if (decision?.decision === "reject") {
    const note = decision.note ? `: ${decision.note}` : ".";
    return result(`${decision.by} did not want to answer${note} ${GO_ON}`);
  }
  if (decision?.decision === "expire") return result(`Nobody answered in time. ${GO_ON}`);
  if (proposal?.verdict !== "deny") return [];
  return proposal.unattended
    ? result(`Nobody is there to answer. ${GO_ON}`)
    : result(`Not allowed (${proposal.rule}). ${GO_ON}`);
}

const GO_ON = "Go on without, and say in your report what you assumed.";
