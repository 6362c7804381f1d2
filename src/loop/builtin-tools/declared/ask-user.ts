// `AskUser`: an agent puts a question to a person. It is proposed like a call that needs approval, so who may decide, for
// how long, and what holds where nobody is there are the same; only an answer ends it, and that is its one result (D0).

import { z } from "zod";
import type { EventBody } from "../../../journal/events.ts";
import type { DecisionView } from "../../../patterns/pattern.ts";
import { ASK_USER, type ToolCall } from "../../../projections/folds/tool-call.ts";
import type { LoopParts } from "../../parts.ts";
import type { OfferedTool } from "./delegate.ts";

const Input = z.object({
  question: z.string().trim().min(1).describe("One question, with what the person must know to answer it."),
  choices: z.array(z.string().trim().min(1)).min(1).optional().describe("The answers that there are."),
  why: z.string().optional().describe("What you will do with the answer."),
});

/** Every name under which a model may call it, and an agent's file may list it. */
export const ASK_NAMES: readonly string[] = [ASK_USER, "AskUserQuestion", "ask_user"];

export const isQuestion = (tool: string): boolean => ASK_NAMES.includes(tool);

/** The rule under which a question is put to a person. */
export const A_QUESTION = "a question is for a person";

/** How the rule of a call begins that nobody was there to decide on. */
export const UNATTENDED = "unattended";

/** Where a file lists it; where it lists nothing, if somebody is there; in a chat always. What it denies is withheld. */
export function mayAsk({ definition, state }: DecisionView, { offers }: Pick<LoopParts, "offers">): boolean {
  const { mode, attended } = state.start!;
  const isChat = mode === "chat";
  if (definition.tools.allow === undefined && !attended && !isChat) return false;
  const { allow: _, ...open } = definition.tools;
  return offers(isChat ? { ...definition, tools: open } : definition, { name: ASK_USER, effect: "read" });
}

export function askTools(view: DecisionView, parts: Pick<LoopParts, "offers">): OfferedTool[] {
  if (!mayAsk(view, parts)) return [];
  const { $schema: _, ...schema } = z.toJSONSchema(Input, { io: "input" }) as Record<string, unknown>;
  return [{ name: ASK_USER, description: DESCRIPTION, schema }];
}

const DESCRIPTION =
  "Ask the person you work for, and wait for the answer. Only what you cannot find out yourself and must not guess.";

/** Undefined: it can be put to a person. */
export function questionProblem({ name, input }: ToolCall): string | undefined {
  const parsed = Input.safeParse(input);
  return parsed.success ? undefined : `The input of ${name} does not fit: ${z.prettifyError(parsed.error)}`;
}

/** What a person said, or that nobody will: the result of the call. Empty: it is still open. */
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
  return proposal.rule.startsWith(UNATTENDED)
    ? result(`Nobody is there to answer. ${GO_ON}`)
    : result(`Not allowed (${proposal.rule}). ${GO_ON}`);
}

const GO_ON = "Go on without, and say in your report what you assumed.";
