// A provider type: a protocol, its package, and how Cadre's calls are written in it.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { MediaType } from "../../journal/attachment.ts";
import type { CallContext, Model } from "../model.ts";

export interface Endpoint {
  baseURL: string;
  /** The provider's key. Absent only if the provider needs no key. */
  apiKey?: string;
  headers?: Record<string, string>;
}

export interface ProviderType {
  connect(endpoint: Endpoint, name: string): (model: string) => Model;
  /** The request that lists the provider's models. */
  listOf(endpoint: Endpoint): { url: string; headers: Record<string, string> };
  baseURL?: string;
  baseURLEnv?: string;
  /** Environment variables that can contain the key. The first variable that is set is used. */
  keyEnv: readonly string[];
  /** Media types of the files that a model of this provider can see. `vision` is the provider's setting in cadre.yaml. */
  acceptedFiles(model: string, vision: boolean | undefined): readonly MediaType[];
  /** Adds the provider's own settings to a call: prompt caching, stateless reasoning, tool choice. `name` is the provider's name. */
  adapt(call: AdaptedCall, model: string, name: string): LanguageModelV4CallOptions;
}

/** A call from the loop. `context` is what the loop passed as `providerOptions.cadre`. */
export interface AdaptedCall {
  options: LanguageModelV4CallOptions;
  context: CallContext;
}

/** The options with settings for one provider package. Settings that the options already have win. */
export function withSettings(
  options: LanguageModelV4CallOptions,
  provider: string,
  settings: Record<string, unknown>,
): LanguageModelV4CallOptions {
  const own = { ...settings, ...options.providerOptions?.[provider] };
  return { ...options, providerOptions: { ...options.providerOptions, [provider]: own as never } };
}

/** A model whose calls are adapted to its provider. Calls without a context, such as those of tests, are sent unchanged. */
export function adaptModel(model: Model, provider: string, { adapt }: Pick<ProviderType, "adapt">): Model {
  const prepare = (options: LanguageModelV4CallOptions): LanguageModelV4CallOptions => {
    const context = options.providerOptions?.["cadre"] as CallContext | undefined;
    return context === undefined ? options : adapt({ options, context }, model.modelId, provider);
  };
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(prepare(options)),
    doStream: (options) => model.doStream(prepare(options)),
  };
}
