// The contract of models: the AI SDK's provider contract, one `doStream` per step, no loop of its own.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Estimate, Payload } from "../journal/events.ts";
import type { Usage } from "../journal/message.ts";

export type Model = LanguageModelV4;

export interface Models {
  /** Throws a CadreError that says what to set up: MODEL_UNKNOWN, PROVIDER_KEY_MISSING. */
  resolve(name: string): Model;
  /** Tokens that fit, where known. */
  contextWindow(name: string): number | undefined;
}

/** US dollars for a call, or null where no price is known: never a guess. */
export type PriceOf = (model: string, usage: Usage) => number | null;

/** What a failed call means. `after`: milliseconds to wait; absent: trying again cannot help. */
export interface Failure {
  cause: Payload<"MODEL_CALL_FAILED">["cause"];
  message: string;
  rejection?: NonNullable<Payload<"MODEL_CALL_FAILED">["rejection"]>;
  after?: number;
}

/** Of a call that nobody here has stopped. Contract: must not throw. `random` is 0…1, for jitter. */
export type ClassifyFailure = (error: unknown, attempt: number, random: number) => Failure;

/** The loop passes this as `providerOptions.cadre`: how the scripted model knows its place. */
export interface CallContext {
  agent: string;
  runId: string;
  /** From 1: the number of this turn. */
  turn: number;
  /** From 1: the attempt at this call. */
  attempt: number;
  purpose: string;
  /** Of the team that it takes part in; 0 for none. */
  round: number;
}

export type EstimateCall = (model: string, promptCharacters: number, maxOutputTokens: number) => Estimate;
