// A provider type: a protocol, its package, and how Cadre's calls are written in it.

import { createRequire } from "node:module";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { installHint } from "../../config/install-hint.ts";
import { CadreError, messageOf } from "../../errors.ts";
import type { MediaType } from "../../journal/attachment.ts";
import type { Reasoning } from "../../journal/reasoning.ts";
import { isStrictSchema } from "../../journal/strict-schema.ts";
import { signInError } from "../classify-failure.ts";
import type { CallContext, Model, WatchedContext } from "../model.ts";
import { nearestReasoning, type ReasoningAbility } from "../reasoning.ts";
import { listenToBytes } from "./provider-fetch.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A provider's settings in cadre.yaml. Each type accepts only some of them. */
export interface ProviderSettings {
  baseURL?: string;
  apiKeyEnv?: string;
  headers?: Record<string, string>;
  /** Whether the provider's models can see images. By default, the provider type decides. */
  vision?: boolean;
  /** Amazon Bedrock: the AWS region, and the AWS profile to sign in with. */
  region?: string;
  profile?: string;
  /** Google Vertex: the Google Cloud project, and the location of its models. */
  project?: string;
  location?: string;
  /** Azure: the name of the resource, and the version of its API. */
  resource?: string;
  apiVersion?: string;
}

export interface Endpoint {
  baseURL: string;
  /** The provider's key. Absent only if the provider needs no key. */
  apiKey?: string;
  headers?: Record<string, string>;
  fetch?: typeof fetch;
}

export interface ProviderType<E extends Endpoint = Endpoint> {
  connect(endpoint: E, name: string): (model: string) => Model;
  /** The request that lists the provider's models. */
  listOf(endpoint: E): ListRequest | Promise<ListRequest>;
  /** The address if cadre.yaml and the environment set none. The address of a cloud depends on other settings. */
  baseURL?: string | ((settings: ProviderSettings, env: Env) => string | undefined);
  baseURLEnv?: string;
  /** A cloud's own ways to sign in. Other providers need only a key. */
  signIn?: CloudSignIn<E>;
  /** Environment variables that can contain the key. The first variable that is set is used. */
  keyEnv: readonly string[];
  /** Media types of the files that a model of this provider can see. `vision` is the provider's setting in cadre.yaml. */
  acceptedFiles(model: string, vision: boolean | undefined): readonly MediaType[];
  /** The reasoning that the model supports. */
  reasoning(model: string): ReasoningAbility;
  /** The budget for thoughts in a call with this output limit. Undefined if the model takes no budget. */
  thoughtBudget?(model: string, reasoning: Reasoning, output: number): number | undefined;
  /** Adds the provider's own settings to a call: prompt caching, reasoning, tool choice. `name` is the provider's name. */
  adapt(call: AdaptedCall, model: string, name: string): LanguageModelV4CallOptions;
}

interface ListRequest {
  url: string;
  headers: Record<string, string>;
}

export interface CloudSignIn<E extends Endpoint> {
  /** Says what to set if the address is unknown. Continues the sentence "The provider X …". */
  noAddress: string;
  /** Says how a person signs in again. Completes the sentence "To sign in, …". */
  hint: string;
  /** Finds the credentials without using the network. Throws a CadreError that says what is missing. `key` is set if `keyEnv` has a value. */
  open(
    endpoint: Endpoint,
    from: { settings: ProviderSettings; env: Env; name: string; key: string | undefined },
  ): E;
  /** Explains an error of a call if it means that the sign-in failed or is not permitted. */
  explain(error: unknown): string | undefined;
}

/** Loads an optional package when a model needs it. Cadre does not install these packages by default. */
export function loadOptional<T>(path: string, neededFor: string): T {
  try {
    return createRequire(import.meta.url)(path) as T;
  } catch (error) {
    // A path such as @ai-sdk/google-vertex/anthropic names a part of a package.
    const name = path.split("/").slice(0, 2).join("/");
    throw new CadreError(
      "CONFIG_INVALID",
      `${neededFor} needs the package ${name}, which cannot be loaded (${messageOf(error).split("\n")[0]}). ` +
        `Nothing was changed; install it: ${installHint(name)}`,
    );
  }
}

/** A call from the loop. `context` is what the loop passed as `providerOptions.cadre`. */
export interface AdaptedCall {
  options: LanguageModelV4CallOptions;
  context: CallContext;
  /** The reasoning to request, in a form that the model supports. A level is also in `options`. A budget must be added by `adapt`. */
  reasoning: Reasoning | undefined;
}

/** The options with settings for one provider package. Settings that are already in the options take precedence. */
export function withSettings(
  options: LanguageModelV4CallOptions,
  provider: string,
  settings: Record<string, unknown>,
): LanguageModelV4CallOptions {
  const own = { ...settings, ...options.providerOptions?.[provider] };
  return { ...options, providerOptions: { ...options.providerOptions, [provider]: own as never } };
}

/** A model whose calls are adapted to its provider. Calls without a context, such as those of tests, are sent unchanged. */
export function adaptModel(
  model: Model,
  provider: string,
  type: Pick<ProviderType, "adapt" | "reasoning" | "signIn">,
): Model {
  const { signIn } = type;
  const ability = type.reasoning(model.modelId);
  const contextOf = (options: LanguageModelV4CallOptions): WatchedContext | undefined =>
    options.providerOptions?.["cadre"] as WatchedContext | undefined;
  const prepare = (given: LanguageModelV4CallOptions): LanguageModelV4CallOptions => {
    const context = contextOf(given);
    if (context === undefined) return given;
    const reasoning = nearestReasoning(context.reasoning, ability);
    const options = typeof reasoning === "string" ? { ...given, reasoning } : given;
    return type.adapt({ options, context, reasoning }, model.modelId, provider);
  };
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => withSignInHelp(() => model.doGenerate(prepare(options)), signIn),
    doStream: (options) =>
      listenToBytes(contextOf(options)?.onBytes, () =>
        withSignInHelp(() => model.doStream(prepare(options)), signIn),
      ),
  };
}

async function withSignInHelp<T>(call: () => PromiseLike<T>, signIn: ProviderType["signIn"]): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const why = signIn?.explain(error);
    throw why === undefined ? error : signInError(why, error);
  }
}

export type AnswerPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/** Changes the model's earlier answers. An answer without any part is left out, because providers reject it. */
export function mapAnswers(
  prompt: LanguageModelV4Prompt,
  change: (parts: readonly AnswerPart[]) => AnswerPart[],
): LanguageModelV4Prompt {
  return prompt.flatMap((message): LanguageModelV4Prompt => {
    if (message.role !== "assistant") return [message];
    const content = change(message.content);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** Marks the tools that can be strict, up to the provider's limit. The marks are the same in every call, so the cached prompt stays valid. */
export function withStrictTools(
  options: LanguageModelV4CallOptions,
  most = Number.POSITIVE_INFINITY,
): LanguageModelV4CallOptions {
  let left = most;
  const tools = options.tools?.map((tool) =>
    tool.type === "function" && isStrictSchema(tool.inputSchema) && left-- > 0
      ? { ...tool, strict: true }
      : tool,
  );
  return tools ? { ...options, tools } : options;
}
