// Amazon Bedrock, by its Converse API.
//
// Sign-in, in this order: a Bedrock API key, AWS keys in the environment, or the AWS credential chain (profiles, SSO, roles).
// Cadre passes all credentials to the package, so that the package reads none from process.env by itself.
// Caching: Bedrock has no automatic breakpoint. So cache points follow the system prompt and the last message.

import { createRequire } from "node:module";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { APICallError } from "@ai-sdk/provider";
import { installHint } from "../../config/install-hint.ts";
import { CadreError, messageOf } from "../../errors.ts";
import { MEDIA_TYPES } from "../../journal/attachment.ts";
import type { Reasoning } from "../../journal/reasoning.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Model } from "../model.ts";
import { ANY_LEVEL } from "../reasoning.ts";
import {
  BINDS_THINKING,
  breakpointsOf,
  calledWithoutThought,
  claude,
  claudeThoughts,
  MOST_STRICT,
  withoutThoughts,
} from "./anthropic.ts";
import {
  type AdaptedCall,
  type Endpoint,
  loadOptional,
  mapAnswers,
  type ProviderType,
  withSettings,
  withStrictTools,
} from "./provider-type.ts";

interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

interface BedrockEndpoint extends Endpoint {
  region: string;
  /** Returns AWS credentials. Absent if `apiKey` is set. */
  credentials?: () => Promise<AwsCredentials>;
}

/** The part of the optional package that Cadre uses. */
interface BedrockPackage {
  createAmazonBedrock(settings: {
    region: string;
    baseURL: string;
    apiKey: string;
    headers?: Record<string, string>;
    credentialProvider?: () => Promise<AwsCredentials>;
    fetch?: typeof fetch;
  }): (model: string) => Model;
}

const PACKAGE = "@ai-sdk/amazon-bedrock";
const CHAIN_PACKAGE = "@aws-sdk/credential-providers";

export const bedrock: ProviderType<BedrockEndpoint> = {
  connect({ region, baseURL, apiKey = "", headers, fetch, credentials: credentialProvider }) {
    const { createAmazonBedrock } = loadOptional<BedrockPackage>(PACKAGE, "Amazon Bedrock");
    const optional = omitUndefined({ headers, fetch, credentialProvider });
    return createAmazonBedrock({ region, baseURL, apiKey, ...optional });
  },
  async listOf({ region, baseURL, apiKey, credentials }) {
    // The list of models has another address than the calls.
    const url = `${baseURL.replace("://bedrock-runtime", "://bedrock")}/foundation-models`;
    if (apiKey !== undefined) return { url, headers: { authorization: `Bearer ${apiKey}` } };
    const signer = new (signerClass())({ url, region, service: "bedrock", ...(await credentials!()) });
    return { url, headers: Object.fromEntries((await signer.sign()).headers) };
  },
  baseURL(settings, env) {
    const region = regionOf(settings, env);
    return region && `https://bedrock-runtime.${region}.${domainOf(region)}`;
  },
  baseURLEnv: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
  keyEnv: ["AWS_BEARER_TOKEN_BEDROCK"],
  signIn: {
    noAddress: "has no region: set AWS_REGION, or `region` under `providers` in cadre.yaml",
    hint: "run `aws sso login`, or set new values of AWS_BEARER_TOKEN_BEDROCK, or of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    open(endpoint, { settings, env, name, key }) {
      const region = regionOf(settings, env) ?? "us-east-1";
      if (key !== undefined) return { ...endpoint, region, apiKey: key };
      return { ...endpoint, region, credentials: credentialsOf(name, settings, env) };
    },
    explain: explainBedrock,
  },
  acceptedFiles: (model, vision) => (vision || SEES.test(model) ? MEDIA_TYPES : []),
  reasoning: (model) => (/claude/.test(model) ? claude(model) : ANY_LEVEL),
  thoughtBudget: (model, reasoning, output) =>
    /claude/.test(model) ? claudeThoughts(model, reasoning, output) : undefined,
  adapt: adaptBedrock,
};

const regionOf = (
  settings: { region?: string },
  env: Readonly<Record<string, string | undefined>>,
): string | undefined =>
  settings.region ?? (env["AWS_REGION"]?.trim() || env["AWS_DEFAULT_REGION"]?.trim() || undefined);

const domainOf = (region: string): string =>
  region.startsWith("cn-")
    ? "amazonaws.com.cn"
    : region.startsWith("eusc-")
      ? "amazonaws.eu"
      : "amazonaws.com";

function credentialsOf(
  name: string,
  { profile }: { profile?: string },
  env: Readonly<Record<string, string | undefined>>,
): () => Promise<AwsCredentials> {
  const accessKeyId = env["AWS_ACCESS_KEY_ID"]?.trim();
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"]?.trim();
  const sessionToken = env["AWS_SESSION_TOKEN"]?.trim() || undefined;
  if (profile === undefined && accessKeyId && secretAccessKey) {
    const credentials = { accessKeyId, secretAccessKey, ...omitUndefined({ sessionToken }) };
    return () => Promise.resolve(credentials);
  }
  try {
    createRequire(import.meta.url).resolve(CHAIN_PACKAGE);
  } catch {
    throw new CadreError(
      "PROVIDER_KEY_MISSING",
      `The provider "${name}" needs AWS credentials: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. ` +
        `For a profile, SSO or a role, install ${CHAIN_PACKAGE}: ${installHint(CHAIN_PACKAGE)}`,
      { provider: name, variables: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"] },
    );
  }
  let chain: (() => Promise<AwsCredentials>) | undefined;
  return () => {
    chain ??= loadOptional<{
      fromNodeProviderChain(options: { profile?: string }): () => Promise<AwsCredentials>;
    }>(CHAIN_PACKAGE, "Sign-in to AWS by a profile, SSO or a role").fromNodeProviderChain(
      omitUndefined({ profile }),
    );
    return chain();
  };
}

/** The package that signs requests for AWS. Bedrock's own package depends on it. */
function signerClass(): new (
  request: AwsCredentials & { url: string; region: string; service: string },
) => { sign(): Promise<{ headers: Headers }> } {
  loadOptional(PACKAGE, "Amazon Bedrock");
  const require = createRequire(createRequire(import.meta.url).resolve(PACKAGE));
  return require("aws4fetch").AwsV4Signer;
}

/** AWS answers 403 if it does not know the caller, and also if it does not permit the call. A header tells the two cases apart. */
function explainBedrock(error: unknown): string | undefined {
  const message = messageOf(error);
  if (message.startsWith("AWS credential provider failed")) {
    const why = message.slice("AWS credential provider failed: ".length).split(". Please ensure")[0];
    return `AWS credentials could not be found, so nothing was sent (${why}). To sign in, ${bedrock.signIn!.hint}.`;
  }
  if (!APICallError.isInstance(error) || (error.statusCode !== 403 && error.statusCode !== 401))
    return undefined;
  const type = error.responseHeaders?.["x-amzn-errortype"] ?? "";
  if (/ExpiredToken/.test(`${type} ${message}`) || /token.*expired/i.test(message))
    return `the AWS session has expired, so Bedrock did not answer. To sign in again, ${bedrock.signIn!.hint}.`;
  if (/UnrecognizedClient|InvalidSignature|InvalidClientTokenId|MissingAuthentication/.test(type))
    return `AWS does not accept these credentials (${type.split(":")[0]}). To sign in, ${bedrock.signIn!.hint}.`;
  return undefined;
}

/** Models that can see images and PDFs. */
const SEES = /claude-(?!v2|instant|3-5-haiku)|amazon\.nova-(?!micro)/;

const CACHE_POINT = { bedrock: { cachePoint: { type: "default" } } };

/** Models that accept cache points. Other models reject a request that has them. */
const CACHES = /claude-(?!3-(haiku|sonnet|opus|5-sonnet)|v2|instant)|amazon\.nova/;

/**
 * Cadre sends no tool choice. For `none` and for a forced tool, the package would leave the other tools out of the request.
 * If no tool is left, the package would also remove all calls and results from the conversation.
 * The prompt itself says which tools are expected.
 */
function adaptBedrock(call: AdaptedCall, model: string): LanguageModelV4CallOptions {
  const { toolChoice: _, ...given } = withReasoning(call, model);
  const options = /claude/.test(model) ? withStrictTools(given, MOST_STRICT) : given;
  if (!CACHES.test(model)) return options;
  const marked = breakpointsOf(options.prompt).add(options.prompt.length - 1);
  const prompt = options.prompt.map((message, index) =>
    marked.has(index)
      ? { ...message, providerOptions: { ...message.providerOptions, ...CACHE_POINT } }
      : message,
  );
  return { ...options, prompt };
}

/** As with Anthropic's own API, a Claude with a budget must not think if the latest calls have no thought. */
function withReasoning(
  { options: { reasoning: _reasoning, ...options }, reasoning }: AdaptedCall,
  model: string,
): LanguageModelV4CallOptions {
  const isBudgeted = /claude/.test(model) && !claude(model).isAdaptive;
  if (reasoning === undefined) return BINDS_THINKING.test(model) ? withUnbound(options) : options;
  if (isBudgeted && calledWithoutThought(options.prompt)) return options;
  const most = options.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const budgetTokens = /claude/.test(model) ? claudeThoughts(model, reasoning, most) : undefined;
  if (budgetTokens === 0) return { ...options, prompt: mapAnswers(options.prompt, withoutThoughts) };
  if (BINDS_THINKING.test(model)) return withUnbound(options, reasoning);
  if (budgetTokens === undefined && typeof reasoning === "string") return { ...options, reasoning };
  const reasoningConfig = { type: "enabled", budgetTokens: budgetTokens ?? reasoning };
  // Cadre's output limit includes the thoughts. The package adds the budget for thoughts to it, so the budget is subtracted here.
  const maxOutputTokens =
    options.maxOutputTokens === undefined ? undefined : options.maxOutputTokens - (budgetTokens ?? 0);
  return withSettings({ ...options, ...omitUndefined({ maxOutputTokens }) }, "bedrock", { reasoningConfig });
}

/**
 * Asks Bedrock to leave out thoughts that are bound to another conversation, such as after a fork or a summary. Otherwise it would reject the request.
 * The package has no setting for this and would overwrite it. So Cadre itself sends the reasoning settings of these models.
 * Cadre sends no temperature, because models that think reject it.
 */
function withUnbound(options: LanguageModelV4CallOptions, reasoning?: Reasoning): LanguageModelV4CallOptions {
  const { temperature: _, ...rest } = options;
  if (reasoning === "none") {
    const prompt = mapAnswers(options.prompt, withoutThoughts);
    const additionalModelRequestFields = { thinking: { type: "disabled" } };
    return withSettings({ ...options, prompt }, "bedrock", { additionalModelRequestFields });
  }
  const isAsked = reasoning !== undefined;
  const thinking = {
    ...(isAsked ? { type: "adaptive", display: "summarized" } : {}),
    block_binding: { prefix_mismatch_behavior: "drop_block" },
  };
  return withSettings(rest, "bedrock", {
    anthropicBeta: ["thinking-binding-controls-2026-08-01"],
    additionalModelRequestFields: { thinking, ...(isAsked ? { output_config: { effort: reasoning } } : {}) },
  });
}
