// Resolves a model's name to a model, without using the network or process.env.
// If something is missing, an error before the run starts names the variable to set or the most similar known name.

import { nearestWord } from "../config/problem.ts";
import { CadreError, messageOf } from "../errors.ts";
import { MEDIA_TYPES } from "../journal/attachment.ts";
import type { Reasoning } from "../journal/reasoning.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { makerOf, modelFacts } from "./catalogue.ts";
import { type Model, type Models, modelPartOf, providerOf } from "./model.ts";
import { builtIn, type ProviderTypeName, providerTypes } from "./providers/index.ts";
import { providerFetch } from "./providers/provider-fetch.ts";
import { adaptModel, type Endpoint, type ProviderSettings } from "./providers/provider-type.ts";
import { nearestReasoning, reasoningProblem } from "./reasoning.ts";
import { createScriptedModel } from "./scripted/model.ts";
import type { Script } from "./scripted/script.ts";

export interface ProviderConfig extends ProviderSettings {
  type: ProviderTypeName;
}

export interface ModelsConfig {
  providers?: Record<string, ProviderConfig>;
  aliases?: Record<string, string>;
  /** True if the project's own providers are ignored, because its folder is not trusted. */
  ignoresProviders?: boolean;
  env: Record<string, string | undefined>;
  /** Returns the script for `scripted/<name>`. */
  scripts?: (name: string) => Script;
  /** Context windows in tokens, for models that are not in the price list. */
  contextWindows?: Record<string, number>;
  /** Model objects that a program gives, by their full names. They are used instead of models of the same name. */
  given?: ReadonlyMap<string, Model>;
}

export interface ModelRegistry extends Models {
  /** The full name of an alias. The journal, the prices and the limiter expect the full name. */
  fullName(name: string): string;
  /** Says why a model cannot reason as an agent asks. Undefined if it can, or if the model is not known. */
  reasoningProblem(name: string, reasoning: Reasoning): string | undefined;
  /**
   * True if this output limit forces a call to think less than the agent asks.
   * Anthropic then reads the whole conversation again, because a changed budget for thoughts makes its cache useless.
   */
  mustThinkLess(name: string, reasoning: Reasoning, output: number): boolean;
  /** A provider's name in the price list. It differs from `provider` if cadre.yaml gives a built-in type another name. */
  listedAs(provider: string): string;
  /** All known providers, including those that cannot be called. */
  providers: readonly string[];
  /** True if a provider has its key or needs no key. */
  hasKey(provider: string): boolean;
  /** Name of the environment variable with the key for a model. Absent if the model needs no key. */
  keyVariableOf(name: string): string | undefined;
  /** Requests a provider's list of models. Throws the same errors as `resolve` if the key or the URL is missing. */
  reach(provider: string): Promise<ReachedProvider>;
}

export interface ReachedProvider {
  host: string;
  /** Environment variables that can contain the key. */
  variables: readonly string[];
  reached: Reached;
  /** How to sign in to a cloud. Completes the sentence "To sign in, …". */
  hint?: string;
}

export function createModels(config: ModelsConfig): ModelRegistry {
  const providers: Record<string, ProviderConfig> = { ...builtIn, ...config.providers };
  const givenBy = new Set([...(config.given?.keys() ?? [])].map(providerOf));
  const known = [...new Set([...Object.keys(providers), "scripted", ...givenBy])];
  const resolved = new Map<string, Model>();
  const connected = new Map<string, (model: string) => Model>();

  const listedAs = (provider: string): string => listedName(provider, providers[provider]);

  /** The limits are cached, because a run requests them before every decision and every call. */
  const limits = new Map<string, ModelLimits>();
  const lookUpLimits = (name: string): ModelLimits => {
    const full = fullName(name, config.aliases);
    const { contextWindows: set } = config;
    const { contextWindow, maxOutput } = modelFacts(full, listedAs(providerOf(full)));
    return { contextWindow: set?.[name] ?? set?.[full] ?? contextWindow, maxOutput };
  };
  const limitsOf = (name: string): ModelLimits => {
    const found = limits.get(name) ?? lookUpLimits(name);
    limits.set(name, found);
    return found;
  };

  const create = (name: string): Model => {
    const provider = providerOf(name);
    const model = modelPartOf(name);
    const given = config.given?.get(name);
    if (given) return adaptGiven(given, provider, providers[provider]);
    if (!name.includes("/") || model === "" || !known.includes(provider)) {
      if (config.ignoresProviders) throw ignoredProvider(name);
      throw unknownModel(name, known, Object.keys(config.aliases ?? {}));
    }
    if (provider === "scripted") return scriptedModel(model, config);
    let connect = connected.get(provider);
    if (connect === undefined) {
      const settings = providers[provider];
      if (!settings)
        throw new CadreError(
          "MODEL_UNKNOWN",
          `${provider} is no provider that is known here: set it up under \`providers\` in cadre.yaml.`,
        );
      const type = providerTypes[settings.type];
      const open = type.connect(
        { ...endpointOf(provider, settings, config.env), fetch: providerFetch },
        provider,
      );
      connect = (id) => adaptModel(open(id), provider, type);
      connected.set(provider, connect);
    }
    return connect(model);
  };

  const accepted = new Map<string, ReadonlySet<string>>();
  const lookUpAccepted = (name: string): ReadonlySet<string> => {
    const full = fullName(name, config.aliases);
    const settings = providers[providerOf(full)];
    // A scripted model accepts every file.
    if (!settings) return new Set(MEDIA_TYPES);
    if (settings.vision === false) return new Set();
    return new Set(providerTypes[settings.type].acceptedFiles(modelPartOf(full), settings.vision));
  };

  return {
    resolve(name) {
      const full = fullName(name, config.aliases);
      const found = resolved.get(full) ?? create(full);
      resolved.set(full, found);
      return found;
    },
    maxOutput: (name) => limitsOf(name).maxOutput,
    contextWindow: (name) => limitsOf(name).contextWindow,
    acceptedFiles(name) {
      if (!accepted.has(name)) accepted.set(name, lookUpAccepted(name));
      return accepted.get(name)!;
    },
    mustThinkLess(name, asked, output) {
      const full = fullName(name, config.aliases);
      const type = providers[providerOf(full)]?.type;
      if (type === undefined) return false;
      const { reasoning: abilityOf, thoughtBudget } = providerTypes[type];
      const model = modelPartOf(full);
      const reasoning = nearestReasoning(asked, abilityOf(model));
      if (reasoning === undefined || !thoughtBudget) return false;
      const usual = thoughtBudget(model, reasoning, Number.POSITIVE_INFINITY);
      return thoughtBudget(model, reasoning, output) !== usual;
    },
    reasoningProblem(name, reasoning) {
      const full = fullName(name, config.aliases);
      const type = providers[providerOf(full)]?.type;
      if (type === undefined) return undefined;
      return reasoningProblem(reasoning, providerTypes[type].reasoning(modelPartOf(full)));
    },
    fullName: (name) => fullName(name, config.aliases),
    listedAs,
    providers: known,
    hasKey: (provider) => {
      if (givenBy.has(provider)) return true;
      if (!Object.hasOwn(providers, provider)) return provider === "scripted";
      return canSignIn(provider, providers[provider]!, config.env);
    },
    keyVariableOf: (name) => {
      const settings = providers[providerOf(fullName(name, config.aliases))];
      return settings && keyVariables(settings).find((variable) => config.env[variable]?.trim());
    },
    async reach(provider) {
      const settings = providers[provider]!;
      const endpoint = endpointOf(provider, settings, config.env);
      const reached = await reachProvider(settings.type, endpoint);
      const { signIn } = providerTypes[settings.type];
      const host = new URL(endpoint.baseURL).host;
      return { host, variables: keyVariables(settings), reached, ...omitUndefined({ hint: signIn?.hint }) };
    },
  };
}

/** Maximum tokens of a model's prompt and answer, as far as they are known. */
interface ModelLimits {
  contextWindow: number | undefined;
  maxOutput: number | undefined;
}

/** A provider with its own address might have other models and prices. The address of a cloud only says where the cloud runs. */
function listedName(name: string, settings: ProviderConfig | undefined): string {
  if (settings === undefined || settings.type === "openai-compatible") return name;
  const isCloud = providerTypes[settings.type].signIn !== undefined;
  return isCloud || settings.baseURL === undefined ? settings.type : name;
}

/** Follows aliases to the full name. Returns a name that is not an alias unchanged. */
function fullName(name: string, aliases: Record<string, string> = {}): string {
  const path = [name];
  let current = name;
  while (Object.hasOwn(aliases, current)) {
    current = aliases[current]!;
    if (path.includes(current)) {
      throw new CadreError(
        "CONFIG_INVALID",
        `The model alias "${name}" never ends (${[...path, current].join(" → ")}): ` +
          "let one of them name a model as provider/model.",
      );
    }
    path.push(current);
  }
  return current;
}

/** A model object of a known provider gets the same prompt caching and reasoning settings as Cadre's own. */
function adaptGiven(model: Model, provider: string, settings: ProviderConfig | undefined): Model {
  return settings ? adaptModel(model, provider, providerTypes[settings.type]) : model;
}

function scriptedModel(name: string, config: ModelsConfig): Model {
  if (config.scripts === undefined) {
    throw new CadreError(
      "MODEL_UNKNOWN",
      `There is no script "${name}": scripted models are not set up here. Choose another model.`,
    );
  }
  return createScriptedModel(config.scripts(name), { name });
}

function endpointOf(name: string, settings: ProviderConfig, env: ModelsConfig["env"]): Endpoint {
  const baseURL = baseURLOf(settings, env);
  const { signIn } = providerTypes[settings.type];
  if (baseURL === undefined && signIn) {
    throw new CadreError("PROVIDER_KEY_MISSING", `The provider "${name}" ${signIn.noAddress}.`);
  }
  if (baseURL === undefined || !URL.canParse(baseURL)) {
    const problem = baseURL === undefined ? "has no baseURL" : `has a baseURL that is no URL ("${baseURL}")`;
    throw new CadreError(
      "CONFIG_INVALID",
      `The provider "${name}" ${problem}: set it in cadre.yaml, for example http://127.0.0.1:8000/v1.`,
    );
  }
  const { headers } = settings;
  if (!signIn) return omitUndefined({ baseURL, apiKey: keyOf(name, settings, env), headers });
  const key = keyIn(env, keyVariables(settings));
  return signIn.open(omitUndefined({ baseURL, headers }), { settings, env, name, key });
}

function canSignIn(name: string, settings: ProviderConfig, env: ModelsConfig["env"]): boolean {
  if (providerTypes[settings.type].signIn) {
    try {
      endpointOf(name, settings, env);
      return true;
    } catch {
      return false;
    }
  }
  const variables = keyVariables(settings);
  return variables.length === 0 || keyIn(env, variables) !== undefined;
}

function baseURLOf(settings: ProviderConfig, env: ModelsConfig["env"]): string | undefined {
  const type = providerTypes[settings.type];
  const fromEnv = type.baseURLEnv === undefined ? undefined : env[type.baseURLEnv] || undefined;
  if (settings.baseURL !== undefined || fromEnv !== undefined) return settings.baseURL ?? fromEnv;
  return typeof type.baseURL === "function" ? type.baseURL(settings, env) : type.baseURL;
}

function keyOf(name: string, settings: ProviderConfig, env: ModelsConfig["env"]): string | undefined {
  const variables = keyVariables(settings);
  if (variables.length === 0) return undefined;
  const key = keyIn(env, variables);
  if (key !== undefined) return key;
  throw new CadreError(
    "PROVIDER_KEY_MISSING",
    `The provider "${name}" needs a key: set ${variables.join(" or ")}, or choose another model.`,
    { provider: name, variables },
  );
}

const keyVariables = (settings: ProviderConfig): readonly string[] =>
  settings.apiKeyEnv === undefined ? providerTypes[settings.type].keyEnv : [settings.apiKeyEnv];

const keyIn = (env: ModelsConfig["env"], variables: readonly string[]): string | undefined =>
  variables.map((variable) => env[variable]?.trim()).find(Boolean);

const ignoredProvider = (name: string): CadreError =>
  new CadreError(
    "MODEL_UNKNOWN",
    `The model "${name}" cannot be used: this folder is not trusted, so the \`providers\` in its cadre.yaml are ignored. Run \`cadre trust\` if you know what is in the folder, or set CADRE_TRUST=1.`,
    { model: name },
  );

function unknownModel(name: string, known: readonly string[], aliases: readonly string[]): CadreError {
  const meant = suggestionFor(name, known, aliases);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  const listed = aliases.length === 0 ? "" : `; the aliases are ${aliases.join(", ")}`;
  return new CadreError(
    "MODEL_UNKNOWN",
    `There is no model "${name}".${hint} Write provider/model; the known providers are ${known.join(", ")}${listed}.`,
    { model: name, providers: known, aliases },
  );
}

function suggestionFor(
  name: string,
  known: readonly string[],
  aliases: readonly string[],
): string | undefined {
  if (name.includes("/")) {
    const near = nearestWord(providerOf(name), known);
    const model = modelPartOf(name);
    return near === undefined || model === "" ? undefined : `${near}/${model}`;
  }
  const maker = makerOf(name);
  if (maker !== undefined && known.includes(maker)) return `${maker}/${name}`;
  return nearestWord(name, aliases);
}

type Reached =
  /** `time` is the time of the answer on the provider's clock. */
  { status: number; time?: number } | { problem: string };

const REACH_MS = 5_000;

/** Requests the provider's list of models, which is free of charge. The status shows whether the provider accepts the key. */
async function reachProvider(type: ProviderTypeName, endpoint: Endpoint): Promise<Reached> {
  const { listOf } = providerTypes[type];
  const { url, headers } = await listOf(endpoint);
  try {
    const answer = await fetch(url, {
      headers: { ...headers, ...endpoint.headers },
      redirect: "manual",
      signal: AbortSignal.timeout(REACH_MS),
    });
    await answer.body?.cancel();
    const time = Date.parse(answer.headers.get("date") ?? "");
    return { status: answer.status, ...(Number.isNaN(time) ? {} : { time }) };
  } catch (error) {
    const { cause = error } = error as { cause?: { code?: string } };
    return { problem: (cause as { code?: string }).code?.toString() ?? messageOf(cause) };
  }
}
