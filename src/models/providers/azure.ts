// Azure OpenAI, by the same Responses API as OpenAI. A model's name is the name of its deployment.
//
// Sign-in, in this order: an API key, a Microsoft Entra token in the environment, or the credentials that @azure/identity finds.
// Caching and stateless reasoning are as with OpenAI.

import { createRequire } from "node:module";
import { installHint } from "../../config/install-hint.ts";
import { CadreError } from "../../errors.ts";
import { MEDIA_TYPES } from "../../journal/attachment.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Model } from "../model.ts";
import { ANY_LEVEL } from "../reasoning.ts";
import { adaptResponses, reasoningOf } from "./openai.ts";
import { type AdaptedCall, type Endpoint, loadOptional, type ProviderType } from "./provider-type.ts";

interface AzureEndpoint extends Endpoint {
  apiVersion: string;
  /** Returns a Microsoft Entra token. Absent if `apiKey` is set. */
  token?: () => Promise<string>;
}

/** The part of the optional package that Cadre uses. */
interface AzurePackage {
  createAzure(settings: {
    baseURL: string;
    apiVersion: string;
    apiKey?: string;
    tokenProvider?: () => Promise<string>;
    headers?: Record<string, string>;
    fetch?: typeof fetch;
  }): (deployment: string) => Model;
}

const PACKAGE = "@ai-sdk/azure";
const IDENTITY_PACKAGE = "@azure/identity";
const SCOPE = "https://cognitiveservices.azure.com/.default";

type Env = Readonly<Record<string, string | undefined>>;

export const azure: ProviderType<AzureEndpoint> = {
  connect({ baseURL, apiVersion, apiKey, token: tokenProvider, headers, fetch }) {
    const { createAzure } = loadOptional<AzurePackage>(PACKAGE, "Azure OpenAI");
    return createAzure({ baseURL, apiVersion, ...omitUndefined({ apiKey, tokenProvider, headers, fetch }) });
  },
  async listOf({ baseURL, apiVersion, apiKey, token }) {
    const url = `${baseURL}${isAzureHost(baseURL) && !baseURL.endsWith("/v1") ? "/v1" : ""}/models?api-version=${apiVersion}`;
    if (apiKey !== undefined) return { url, headers: { "api-key": apiKey } };
    return { url, headers: { authorization: `Bearer ${await token!()}` } };
  },
  baseURL(settings, env) {
    const resource = settings.resource ?? env["AZURE_RESOURCE_NAME"]?.trim();
    return resource ? `https://${resource}.openai.azure.com/openai` : undefined;
  },
  baseURLEnv: "AZURE_OPENAI_ENDPOINT",
  keyEnv: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY"],
  signIn: {
    noAddress:
      "has no address: set AZURE_RESOURCE_NAME or AZURE_OPENAI_ENDPOINT, or `resource` or `baseURL` under `providers` in cadre.yaml",
    hint: "run `az login`, or set AZURE_API_KEY, or a new token in AZURE_OPENAI_AD_TOKEN",
    open(endpoint, { settings, env, name, key }) {
      const found = {
        ...endpoint,
        baseURL: withOpenai(endpoint.baseURL),
        apiVersion: settings.apiVersion ?? "v1",
      };
      if (key !== undefined) return { ...found, apiKey: key };
      return { ...found, token: tokenOf(name, env) };
    },
    explain(error) {
      const { name, message } = error instanceof Error ? error : { name: "", message: "" };
      if (!/CredentialUnavailableError|AuthenticationError|AuthenticationRequiredError/.test(name))
        return undefined;
      return `Microsoft Entra gave no token, so nothing was sent (${message.split("\n")[0]}). To sign in, ${azure.signIn!.hint}.`;
    },
  },
  acceptedFiles: () => MEDIA_TYPES,
  // A deployment's name does not say which model it is.
  reasoning: () => ANY_LEVEL,
  adapt: (call, model) =>
    adaptResponses(call, "azure", mustReason(call, model) ? { forceReasoning: true } : {}),
};

/** The package assumes that a deployment with a custom name cannot reason, and would leave the reasoning out. */
const mustReason = ({ reasoning }: AdaptedCall, deployment: string): boolean =>
  reasoning !== undefined && reasoning !== "none" && reasoningOf(deployment).levels.length > 0;

const isAzureHost = (baseURL: string): boolean => new URL(baseURL).hostname.endsWith(".azure.com");

/** Azure shows an endpoint without a path, such as https://x.openai.azure.com/. The API is below /openai. */
function withOpenai(baseURL: string): string {
  const trimmed = baseURL.replace(/\/+$/, "");
  return isAzureHost(trimmed) && new URL(trimmed).pathname === "/" ? `${trimmed}/openai` : trimmed;
}

function tokenOf(name: string, env: Env): () => Promise<string> {
  const token = env["AZURE_OPENAI_AD_TOKEN"]?.trim();
  if (token) return () => Promise.resolve(token);
  try {
    createRequire(import.meta.url).resolve(IDENTITY_PACKAGE);
  } catch {
    throw new CadreError(
      "PROVIDER_KEY_MISSING",
      `The provider "${name}" needs a key: set AZURE_API_KEY, or a Microsoft Entra token in AZURE_OPENAI_AD_TOKEN. ` +
        `For \`az login\` or a managed identity, install ${IDENTITY_PACKAGE}: ${installHint(IDENTITY_PACKAGE)}`,
      { provider: name, variables: ["AZURE_API_KEY", "AZURE_OPENAI_AD_TOKEN"] },
    );
  }
  let provider: (() => Promise<string>) | undefined;
  return () => {
    if (provider === undefined) {
      const { DefaultAzureCredential, getBearerTokenProvider } = loadOptional<{
        DefaultAzureCredential: new () => unknown;
        getBearerTokenProvider(credential: unknown, scope: string): () => Promise<string>;
      }>(IDENTITY_PACKAGE, "Sign-in to Azure by Microsoft Entra");
      provider = getBearerTokenProvider(new DefaultAzureCredential(), SCOPE);
    }
    return provider();
  };
}
