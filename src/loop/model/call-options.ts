// The request of one model call: the prompt from the transcript, the tools that the agent may call, and its context in the run.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import type { Definition } from "../../journal/definition.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Action } from "../../patterns/action.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import { promptMessages } from "../../projections/folds/transcript.ts";
import type { DeclaredTool } from "../builtin-tools/declared/declared-tool.ts";
import { DECLARED_TOOLS } from "../builtin-tools/declared/index.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

type CallModel = Extract<Action, { type: "call-model" }>;

export function callOptions(
  action: CallModel,
  run: RunJournal,
  parts: RequestParts,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const { definition, state, transcript } = run;
  const { temperature, maxOutputTokens, reasoning } = definition;
  const system = parts.systemPrompt(definition, state.start!, state.createdAt);
  const messages = promptMessages(transcript) as LanguageModelV4Prompt;
  const request = REQUESTS[action.purpose];
  const asked: LanguageModelV4Prompt =
    request === undefined ? [] : [{ role: "user", content: [{ type: "text", text: request }] }];
  const place = {
    agent: definition.name,
    runId: run.runId,
    turn: state.turns + 1,
    attempt: action.attempt,
    purpose: action.purpose,
    round: state.start!.team?.round ?? 0,
  };
  return {
    prompt: [{ role: "system", content: system }, ...messages, ...asked],
    tools: offeredTools(action, run, parts),
    abortSignal,
    providerOptions: { cadre: place },
    ...omitUndefined({ temperature, maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning: reasoning as never }),
  };
}

const SUMMARY_REQUEST =
  "The conversation is getting too long. Summarise it for yourself, so that you can go on from the summary alone: the task, what was done, what was found (with exact names, paths and numbers), what is still open. Do not go on with the task now.";

const BRIEF_REQUEST =
  "You are about to delegate. Sum up this conversation for the agent that takes the task over: what it is all about, what was done and found so far (with exact names, paths and numbers), what has been decided. Do not go on with the task now, and do not repeat the task itself.";

/** Questions of the runtime itself to the model. They are no turn of the agent, so they offer no tools. */
const REQUESTS: Partial<Record<CallModel["purpose"], string>> = {
  summary: SUMMARY_REQUEST,
  brief: BRIEF_REQUEST,
};

export function offeredTools(
  { purpose }: Pick<CallModel, "purpose">,
  view: DecisionView,
  parts: OfferParts,
): LanguageModelV4FunctionTool[] {
  if (REQUESTS[purpose] !== undefined) return [];
  return purpose === "final" && !view.definition.router ? closingOf(view, parts) : turnTools(view, parts);
}

export type RequestParts = OfferParts & Pick<LoopParts, "systemPrompt">;

export type OfferParts = Pick<LoopParts, "tools" | "offers" | "inputSchema">;

/** The tools of every turn except the last. */
export const turnTools = (view: DecisionView, parts: OfferParts): LanguageModelV4FunctionTool[] => [
  ...builtinOf(view, parts),
  ...toolsOf(view.definition, parts),
  ...closingOf(view, parts),
];

const closingOf = (view: DecisionView, parts: OfferParts): LanguageModelV4FunctionTool[] =>
  builtinOffers(view, parts, (kind) => kind === "closing");

/** The offers of built-in tools other than closing tools, by run. They never change during a run. */
const builtinFor = new WeakMap<object, LanguageModelV4FunctionTool[]>();

function builtinOf(view: DecisionView, parts: OfferParts): LanguageModelV4FunctionTool[] {
  const start = view.state.start!;
  const known = builtinFor.get(start) ?? builtinOffers(view, parts, (kind) => kind !== "closing");
  builtinFor.set(start, known);
  return known;
}

const builtinOffers = (
  view: DecisionView,
  parts: OfferParts,
  isWanted: (kind: DeclaredTool["kind"]) => boolean,
): LanguageModelV4FunctionTool[] =>
  DECLARED_TOOLS.filter(({ kind }) => isWanted(kind))
    .flatMap((tool) => tool.offered(view, parts))
    .map(({ name, description, schema }) => offer(name, description, schema));

/** The offers of ordinary tools, which are the same for all turns and runs of a definition. */
const offeredTo = new WeakMap<LoopParts["tools"], WeakMap<Definition, LanguageModelV4FunctionTool[]>>();

function toolsOf(definition: Definition, parts: OfferParts): LanguageModelV4FunctionTool[] {
  const byDefinition = offeredTo.get(parts.tools) ?? new WeakMap<Definition, LanguageModelV4FunctionTool[]>();
  offeredTo.set(parts.tools, byDefinition);
  const known = byDefinition.get(definition);
  if (known) return known;
  const tools = [...new Set(parts.tools.values())].filter((tool) => parts.offers(definition, tool));
  const offered = tools.map((tool) => offer(tool.name, tool.description, parts.inputSchema(tool)));
  byDefinition.set(definition, offered);
  return offered;
}

function offer(name: string, description: string, schema: unknown): LanguageModelV4FunctionTool {
  const inputSchema = schema as LanguageModelV4FunctionTool["inputSchema"];
  return { type: "function", name, description, inputSchema };
}
