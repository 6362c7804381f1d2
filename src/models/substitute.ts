// Finds an available model for a model name in an agent file, which may have been written for another product.
//  - It never throws and always finds a model: an unavailable one is replaced by the configured model, with a note.
//  - The user's aliases come first, so every result can be changed in cadre.yaml.
//  - `provider/model` with a known provider is used as written.

import { modelPartOf, providerOf } from "./names.ts";
import { bareId, familyOf, isRetired } from "./spelling.ts";
import { modelOfTier, tierOfWord } from "./tiers.ts";

export interface ModelNamesConfig {
  /** The configured model: `provider/model`, or an alias. */
  default: string;
  aliases: Readonly<Record<string, string>>;
  /** Every known provider, whether or not it has a key. */
  providers: readonly string[];
  /** Whether a provider can be called: it has its key, or needs none. */
  hasKey(provider: string): boolean;
}

export interface SubstitutedModel {
  /** `provider/model`. */
  model: string;
  /** If it is not the named model: a sentence for a warning that says why. */
  note?: string;
  /** What is wrong with the name. For callers that do not use a substitute. */
  why?: string;
}

export interface SubstitutingNames {
  /** The configured model's full name. */
  default: string;
  /** Resolves a single name. The caller handles `inherit`, lists and `a | b`. */
  resolve(name: string): SubstitutedModel;
}

export function createModelNames(config: ModelNamesConfig): SubstitutingNames {
  const fallback = followAliases(config.default, config.aliases) ?? config.default;
  return {
    default: fallback,
    resolve(name) {
      const written = name.trim().replace(/^(["'`])(.*)\1$/s, "$2");
      const meant = followAliases(written, config.aliases);
      const { model = fallback, why }: Found =
        meant === undefined ? { why: "is an alias of itself" } : find(meant, config, fallback);
      return why === undefined ? { model } : { model, why, note: noteOf(written, why, model) };
    },
  };
}

interface Found {
  /** Absent: the configured model is used instead. */
  model?: string;
  /** What is wrong with the name. */
  why?: string;
}

function find(name: string, config: ModelNamesConfig, fallback: string): Found {
  if (name === "" || /^(default|auto)$/i.test(name)) return { model: fallback };
  if (/[<>]|\$\{|\{\{/.test(name)) return { why: "is a placeholder" };
  const tier = tierOfWord(name);
  if (tier) return { model: modelOfTier(tier, fallback) };
  return name.includes("/") ? findWithProvider(name, config) : findBare(name, config);
}

function findWithProvider(name: string, config: ModelNamesConfig): Found {
  const model = modelPartOf(name);
  if (model === "") return { why: "is not known" };
  const provider = knownProvider(name, config);
  if (provider !== undefined) return { model: `${provider}/${model}` };
  const behind = findBehindGateway(model, config);
  if (behind.model === undefined) return behind;
  return { ...behind, why: `names a provider, \`${providerOf(name)}\`, that is not known` };
}

/** The name after an unknown gateway's prefix, such as `anthropic/claude-haiku-4.5` or just `claude-haiku-4.5`. */
function findBehindGateway(name: string, config: ModelNamesConfig): Found {
  if (!name.includes("/")) return findBare(name, config);
  const model = modelPartOf(name);
  const provider = knownProvider(name, config);
  if (provider === undefined) return findBehindGateway(model, config);
  if (familyOf(bareId(model)) === provider) return findBare(model, config);
  return config.hasKey(provider) ? { model: `${provider}/${model}` } : noKey(provider);
}

function findBare(name: string, config: ModelNamesConfig): Found {
  const id = bareId(name);
  const family = familyOf(id);
  if (family === undefined) return { why: "is not known" };
  if (isRetired(id)) return { why: "is retired" };
  const usable = config.providers.includes(family) && config.hasKey(family);
  return usable ? { model: `${family}/${id}` } : noKey(family);
}

const noKey = (provider: string): Found => ({ why: `needs a key for ${provider}, and there is none` });

const knownProvider = (name: string, { providers }: ModelNamesConfig): string | undefined =>
  providers.find((known) => known.toLowerCase() === providerOf(name).toLowerCase());

/** Follows aliases. Returns a name that is not an alias unchanged, and undefined if the aliases form a cycle. */
function followAliases(name: string, aliases: Readonly<Record<string, string>>): string | undefined {
  const seen = new Set<string>();
  let current = name;
  while (!seen.has(current)) {
    seen.add(current);
    const alias = Object.keys(aliases).find((known) => known.toLowerCase() === current.toLowerCase());
    if (alias === undefined) return current;
    current = aliases[alias]!.trim();
  }
  return undefined;
}

function noteOf(name: string, why: string, used: string): string {
  return `model \`${name}\` ${why}: ${used} is used; set an alias in cadre.yaml to choose another`;
}
