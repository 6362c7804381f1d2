// What a model call is asked with: the prompt from the transcript, the tools that the agent may call, its place in the run.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import type { Definition } from "../journal/definition.ts";
import type { Action } from "../patterns/action.ts";
import { FINAL_REPORT } from "../projections/run-state.ts";
import { promptMessages } from "../projections/transcript.ts";
import { SUMMARY_REQUEST } from "./context.ts";
import type { LoopParts } from "./parts.ts";
import { REPORT_DESCRIPTION, reportSchema } from "./report.ts";
import type { RunJournal } from "./run-journal.ts";

type CallModel = Extract<Action, { type: "call-model" }>;

export function callOptions(
  action: CallModel,
  run: RunJournal,
  parts: LoopParts,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const { definition, state, transcript } = run;
  const { temperature, maxOutputTokens, reasoning } = definition;
  const system = parts.systemPrompt(definition, state.start!, state.createdAt);
  const messages = promptMessages(transcript) as LanguageModelV4Prompt;
  const asked: LanguageModelV4Prompt =
    action.purpose === "summary"
      ? [{ role: "user", content: [{ type: "text", text: SUMMARY_REQUEST }] }]
      : [];
  const place = {
    agent: definition.name,
    runId: run.runId,
    turn: state.turns + 1,
    attempt: action.attempt,
    purpose: action.purpose,
  };
  return {
    prompt: [{ role: "system", content: system }, ...messages, ...asked],
    tools: offeredTools(action, run, parts),
    abortSignal,
    providerOptions: { cadre: place },
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning: reasoning as never }),
  };
}

function offeredTools(
  { purpose }: CallModel,
  { definition }: RunJournal,
  parts: LoopParts,
): LanguageModelV4FunctionTool[] {
  if (purpose === "summary") return [];
  const offered = toolsOf(definition, parts);
  return purpose === "final" ? offered.slice(-1) : offered;
}

/** The same list for every turn of every run of a definition: made once. The report comes last. */
const offeredTo = new WeakMap<LoopParts["tools"], WeakMap<Definition, LanguageModelV4FunctionTool[]>>();

function toolsOf(definition: Definition, parts: LoopParts): LanguageModelV4FunctionTool[] {
  const byDefinition = offeredTo.get(parts.tools) ?? new WeakMap<Definition, LanguageModelV4FunctionTool[]>();
  offeredTo.set(parts.tools, byDefinition);
  const known = byDefinition.get(definition);
  if (known) return known;
  const tools = [...new Set(parts.tools.values())].filter((tool) => parts.offers(definition, tool));
  const offered = [
    ...tools.map((tool) => offer(tool.name, tool.description, parts.inputSchema(tool))),
    offer(FINAL_REPORT, REPORT_DESCRIPTION, reportSchema(definition)),
  ];
  byDefinition.set(definition, offered);
  return offered;
}

function offer(name: string, description: string, schema: unknown): LanguageModelV4FunctionTool {
  const inputSchema = schema as LanguageModelV4FunctionTool["inputSchema"];
  return { type: "function", name, description, inputSchema };
}
