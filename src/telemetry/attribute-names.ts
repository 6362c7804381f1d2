// Names of span attributes. OpenTelemetry's names for generative AI are not stable yet.
// Cadre has its own copy of the names, so that they stay the same when OpenTelemetry changes them.

export const GEN_AI = {
  operation: "gen_ai.operation.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
} as const;

export const ERROR_TYPE = "error.type";

/** Attributes for which OpenTelemetry defines no name. */
export const CADRE = {
  run: "cadre.run.id",
  trigger: "cadre.run.trigger",
  continues: "cadre.run.continues",
  status: "cadre.run.status",
  stopReason: "cadre.run.stop_reason",
  step: "cadre.step",
  purpose: "cadre.model.purpose",
  attempt: "cadre.attempt",
  cost: "cadre.cost",
  outcome: "cadre.tool.outcome",
  waitsFor: "cadre.wait.for",
  lost: "cadre.lost",
} as const;
