// From a model's name in an agent file, whoever wrote it and for whatever product, to a model that can be had here.
//  - It never throws and never gives nothing: what cannot be had becomes the configured model, and a note says so.
//  - People's aliases come first, so every answer can be changed in cadre.yaml.
//  - `provider/model` with a provider that is known is taken at its word.

import { modelPartOf, providerOf } from "./names.ts";
import { bareId, familyOf, isRetired } from "./spelling.ts";
import { modelOfTier, tierOfWord } from "./tiers.ts";

export interface ModelNamesConfig {
  /** The configured model: `provider/model`, or an alias of one. */
  default: string;
  aliases: Readonly<Record<string, string>>;
  /** Every provider that can be named here, whether or not it has a key. */
  providers: readonly string[];
  /** Whether a provider could be called: it has its key, or needs none. */
  hasKey(provider: string): boolean;
}

export interface SubstitutedModel {
  /** `provider/model`. */
  model: string;
  /** Why it is another one than the name says: a sentence for a warning. */
  note?: string;
  /** The same where nothing takes its place: what is wrong with the name. */
  why?: string;
}

export interface SubstitutingNames {
  /** The configured model's full name. */
  default: string;
  /** One name: `inherit`, lists and `a | b` are the caller's. */
  resolve(name: string): SubstitutedModel;
}

export function createModelNames(config: ModelNamesConfig): SubstitutingNames {
  const fallback = throughAliases(config.default, config.aliases) ?? config.default;
  return {
    default: fallback,
    resolve(name) {
      const written = name.trim().replace(/^(["'`])(.*)\1$/s, "$2");
      const meant = throughAliases(written, config.aliases);
      const { model = fallback, why }: Found =
        meant === undefined ? { why: "is an alias of itself" } : find(meant, config, fallback);
      return why === undefined ? { model } : { model, why, note: noteOf(written, why, model) };
    },
  };
}

interface Found {
  /** Absent: the configured one has to do. */
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

/** What a product that resells others' models calls `anthropic/claude-haiku-4.5`, or just `claude-haiku-4.5`. */
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

/** Undefined: the aliases lead in a circle. A name that is no alias is itself. */
function throughAliases(name: string, aliases: Readonly<Record<string, string>>): string | undefined {
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
