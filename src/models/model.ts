// The model contract: the AI SDK's provider interface, with one `doStream` per step. The AI SDK's own loop is not used.

import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Estimate, Payload } from "../journal/events.ts";
import type { Usage } from "../journal/message.ts";
import type { Reasoning } from "../journal/reasoning.ts";

export type Model = LanguageModelV4;

export interface Models {
  /** Throws a CadreError that says what to configure: MODEL_UNKNOWN or PROVIDER_KEY_MISSING. */
  resolve(name: string): Model;
  /** Size of the context window in tokens, if known. */
  contextWindow(name: string): number | undefined;
  /** Most tokens of an answer, if known. */
  maxOutput?(name: string): number | undefined;
  /** Media types of the files that the model can see. */
  acceptedFiles(name: string): ReadonlySet<string>;
}

/** The cost of a call in US dollars, or null if the price is unknown. Never a guess. */
export type PriceOf = (model: string, usage: Usage) => number | null;

/** A classified failure. `after` is the delay in milliseconds before the next attempt. It is absent if retrying cannot help. */
export interface Failure {
  cause: Payload<"MODEL_CALL_FAILED">["cause"];
  message: string;
  rejection?: NonNullable<Payload<"MODEL_CALL_FAILED">["rejection"]>;
  /** Limits for `too_long`: how many tokens a prompt may have, and how many this prompt had, if the provider said so. */
  window?: number;
  promptTokens?: number;
  after?: number;
  /** True if the provider might charge for the prompt: it received the whole request, but its answer did not arrive. */
  mayBePaid?: true;
}

/**
 * Classifies the failure of a call that Cadre did not abort. Must not throw.
 * `random` is a number from 0 to 1 for the jitter. `model` is needed to name the variable of a wrong key.
 */
export type ClassifyFailure = (error: unknown, attempt: number, random: number, model?: string) => Failure;

/** The error for an answer that the model, or a filter of its provider, refused. `text` is the text that arrived. */
export type RefusalError = (
  finish: Pick<Extract<LanguageModelV4StreamPart, { type: "finish" }>, "finishReason" | "providerMetadata">,
  text: string,
) => Error;

/** The context of a call. The loop passes it as `providerOptions.cadre`, and the scripted model uses it to choose its turn. */
export interface CallContext {
  agent: string;
  runId: string;
  /** The root of the run's tree. All runs of a tree share a provider's cache. */
  tree: string;
  /** Number of this turn, from 1. */
  turn: number;
  /** Number of this attempt at the call, from 1. */
  attempt: number;
  /** Why the previous attempt failed, if that attempt used the same model. */
  failedBy?: Failure["cause"];
  purpose: string;
  /** How much the agent's file asks the model to reason. */
  reasoning?: Reasoning;
  /** Round of the team discussion in which the run takes part. 0 if there is no discussion. */
  round: number;
}

export interface WatchedContext extends CallContext {
  /** Called for everything that the provider sends, even if it is not part of the answer. */
  onBytes?(): void;
}

/** The tokens of a call that has not been answered. `cached` is the part of the prompt that the provider probably reads from its cache. */
export interface CallSize {
  prompt: number;
  cached: number;
  output: number;
  /** How much the agent's file asks the model to reason. */
  reasoning?: Reasoning | undefined;
}

export type EstimateCall = (model: string, size: CallSize) => Estimate;

/** The provider in a model's full name. The name has the form `provider/model`, and its model part can contain slashes. */
export const providerOf = (model: string): string => model.slice(0, Math.max(0, model.indexOf("/"))) || model;

export const isScripted = (model: string): boolean => providerOf(model) === "scripted";

/** Providers that run on your own machine, and so cost nothing. */
const FREE = new Set(["scripted", "ollama", "lmstudio"]);

export const isFree = (model: string): boolean => FREE.has(providerOf(model));

export const modelPartOf = (model: string): string => model.slice(model.indexOf("/") + 1);
