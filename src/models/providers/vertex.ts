// Google Vertex AI: Gemini, and Anthropic's Claude.
//
// Sign-in: an API key (express mode, for Gemini only), or application default credentials, which google-auth-library finds.
// Gemini caches prompts by itself. For Claude, the breakpoints are the same as in Anthropic's own API, but none is automatic.

import { createRequire } from "node:module";
import { CadreError, messageOf } from "../../errors.ts";
import { MEDIA_TYPES } from "../../journal/attachment.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Model } from "../model.ts";
import { adaptAnthropic, claude, claudeThoughts } from "./anthropic.ts";
import { adaptGoogle, geminiReasoning, google } from "./google.ts";
import { type Endpoint, loadOptional, type ProviderType } from "./provider-type.ts";

interface VertexEndpoint extends Endpoint {
  location: string;
  /** The Google Cloud project. Absent if `apiKey` is set. */
  project?: string;
}

interface VertexSettings {
  baseURL: string;
  location: string;
  project?: string;
  headers?: Record<string, string>;
  fetch?: typeof fetch;
}

/** The parts of the optional package that Cadre uses. */
interface GeminiPackage {
  createGoogleVertex(settings: VertexSettings & { apiKey: string }): (model: string) => Model;
}
interface ClaudePackage {
  createGoogleVertexAnthropic(
    settings: VertexSettings & { googleAuthOptions?: { projectId: string } },
  ): (model: string) => Model;
}

const PACKAGE = "@ai-sdk/google-vertex";

type Env = Readonly<Record<string, string | undefined>>;

export const vertex: ProviderType<VertexEndpoint> = {
  connect(endpoint, name) {
    const { baseURL, location, project, apiKey = "", headers, fetch } = endpoint;
    const settings = { location, ...omitUndefined({ project, headers, fetch }) };
    const gemini = () =>
      loadOptional<GeminiPackage>(PACKAGE, "Google Vertex").createGoogleVertex({
        ...settings,
        apiKey,
        baseURL: `${baseURL}/${apiKey ? "v1" : `v1beta1/${placeOf(endpoint)}`}/publishers/google`,
      });
    const anthropic = () =>
      loadOptional<ClaudePackage>(`${PACKAGE}/anthropic`, "Google Vertex").createGoogleVertexAnthropic({
        ...settings,
        baseURL: `${baseURL}/v1/${placeOf(endpoint)}/publishers/anthropic/models`,
        ...(project === undefined ? {} : { googleAuthOptions: { projectId: project } }),
      });
    return (model) => {
      if (!isClaude(model)) return gemini()(model);
      if (apiKey === "") return anthropic()(model);
      throw new CadreError(
        "CONFIG_INVALID",
        `The provider "${name}" signs in with an API key, and Google Vertex offers Claude only to a project: ` +
          "remove the key, set GOOGLE_VERTEX_PROJECT, and run `gcloud auth application-default login`.",
      );
    };
  },
  async listOf({ baseURL, apiKey, project }) {
    const url = `${baseURL}/v1beta1/publishers/google/models`;
    if (apiKey !== undefined) return { url, headers: { "x-goog-api-key": apiKey } };
    const token = await accessToken(project!);
    return { url, headers: { authorization: `Bearer ${token}`, "x-goog-user-project": project! } };
  },
  baseURL(settings, env) {
    const location = locationOf(settings, env);
    if (location === "global") return "https://aiplatform.googleapis.com";
    if (location === "eu" || location === "us") return `https://aiplatform.${location}.rep.googleapis.com`;
    return `https://${location}-aiplatform.googleapis.com`;
  },
  keyEnv: ["GOOGLE_VERTEX_API_KEY"],
  signIn: {
    noAddress: "has no location: set GOOGLE_VERTEX_LOCATION, or `location` under `providers` in cadre.yaml",
    hint: "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file",
    open({ baseURL, ...endpoint }, { settings, env, name, key }) {
      const location = locationOf(settings, env);
      const found = { ...endpoint, baseURL: baseURL.replace(/\/+$/, ""), location };
      if (key !== undefined) return { ...found, apiKey: key };
      const project =
        settings.project ?? (env["GOOGLE_VERTEX_PROJECT"]?.trim() || env["GOOGLE_CLOUD_PROJECT"]?.trim());
      if (project) return { ...found, project };
      throw new CadreError(
        "PROVIDER_KEY_MISSING",
        `The provider "${name}" has no Google Cloud project: set GOOGLE_VERTEX_PROJECT, or \`project\` under \`providers\` in cadre.yaml. ` +
          "With an API key in GOOGLE_VERTEX_API_KEY, no project is needed.",
        { provider: name, variables: ["GOOGLE_VERTEX_PROJECT", "GOOGLE_VERTEX_API_KEY"] },
      );
    },
    explain: explainVertex,
  },
  acceptedFiles: (model, vision) => (isClaude(model) ? MEDIA_TYPES : google.acceptedFiles(model, vision)),
  reasoning: (model) => (isClaude(model) ? claude(model) : geminiReasoning(model)),
  thoughtBudget: (model, reasoning, output) =>
    isClaude(model) ? claudeThoughts(model, reasoning, output) : undefined,
  adapt: (call, model) =>
    isClaude(model) ? adaptAnthropic(call, model, { automatic: false }) : adaptGoogle(call, "googleVertex"),
};

const isClaude = (model: string): boolean => model.startsWith("claude");

const placeOf = ({ project, location }: VertexEndpoint): string =>
  `projects/${project}/locations/${location}`;

const locationOf = (settings: { location?: string }, env: Env): string =>
  settings.location ??
  (env["GOOGLE_VERTEX_LOCATION"]?.trim() || env["GOOGLE_CLOUD_LOCATION"]?.trim() || "global");

/** An access token of the application default credentials, for a request that the package does not send. */
async function accessToken(projectId: string): Promise<string> {
  loadOptional(PACKAGE, "Google Vertex");
  const require = createRequire(createRequire(import.meta.url).resolve(PACKAGE));
  const { GoogleAuth } = require("google-auth-library");
  try {
    const auth = new GoogleAuth({ projectId, scopes: ["https://www.googleapis.com/auth/cloud-platform"] });
    return await auth.getAccessToken();
  } catch (error) {
    throw new CadreError("PROVIDER_KEY_MISSING", explainVertex(error) ?? messageOf(error));
  }
}

/** Reads the message, because google-auth-library has no codes for these errors. */
function explainVertex(error: unknown): string | undefined {
  const message = messageOf(error);
  const { hint } = vertex.signIn!;
  if (/default credentials/i.test(message))
    return `no Google credentials were found, so nothing was sent. To sign in, ${hint}.`;
  if (/invalid_grant|invalid_rapt|reauth|unauthorized_client/i.test(message))
    return `the Google sign-in has expired or was revoked, so nothing was sent. To sign in again, ${hint}.`;
  return undefined;
}
