// Finds an available model for a model name in an agent file. The file might have been written for another product.
//  - It never throws and always finds a model: the configured model replaces an unavailable model, with a note.
//  - The user's aliases are tried first, so every result can be changed in cadre.yaml.
//  - `provider/model` with a known provider is used as written.

import { PROVIDER_TIERS, type Tier } from "./catalogue.ts";
import { modelPartOf, providerOf } from "./model.ts";

export interface ModelNamesConfig {
  /** The configured model: `provider/model`, or an alias. */
  default: string;
  aliases: Readonly<Record<string, string>>;
  /** All known providers, including those without a key. */
  providers: readonly string[];
  /** True if a provider can be called: it has its key or needs no key. */
  hasKey(provider: string): boolean;
}

export interface SubstitutedModel {
  /** `provider/model`. */
  model: string;
  /** A sentence that says why another model is used. Absent if the named model is used. */
  note?: string;
  /** The problem with the name. Callers that do not accept a substitute show it. */
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
  /** The full name of the model. Absent if the configured model is used instead. */
  model?: string;
  /** The problem with the name. */
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

/** Finds the name behind an unknown gateway's prefix, such as `anthropic/claude-haiku-4.5` or just `claude-haiku-4.5`. */
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

/** Follows aliases. A name that is not an alias is returned unchanged. Undefined if the aliases form a cycle. */
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

const FAMILIES: readonly [RegExp, string][] = [
  [/^claude-/, "anthropic"],
  [/^(gpt-|chatgpt-|codex-|o\d)/, "openai"],
  [/^gemini-/, "google"],
  [/^deepseek-/, "deepseek"],
];

/** Common short names of models whose real id is longer. */
const FULL_IDS: Readonly<Record<string, string>> = {
  "claude-3-haiku": "claude-3-haiku-20240307",
  "claude-opus-4": "claude-opus-4-0",
  "claude-sonnet-4": "claude-sonnet-4-0",
  "gemini-3-flash": "gemini-3-flash-preview",
  "gemini-3-pro": "gemini-3-pro-preview",
  "gemini-3.1-pro": "gemini-3.1-pro-preview",
};

/** Models that their makers no longer offer. */
const RETIRED: readonly RegExp[] = [
  /^claude-(v?1|v?2|instant)/,
  /^claude-3-(?!haiku)/,
  /^claude-[a-z]+-3(-|$)/,
  /^gpt-(3|4-|4\.5)/,
  /^o1-(mini|preview)/,
  /^gemini-(1|pro(?!-latest)|flash-1)/,
];

/** The maker's provider, found by the prefix of the id. Undefined for a text that cannot be an id, such as a sentence. */
function familyOf(id: string): string | undefined {
  if (!/^[a-z0-9.:@-]+$/.test(id)) return undefined;
  return FAMILIES.find(([begins]) => begins.test(id))?.[1];
}

const isRetired = (id: string): boolean => RETIRED.some((retired) => retired.test(id));

/** The maker's own id for a name that an editor shows: `Claude Sonnet 4.5 (copilot)` is `claude-sonnet-4-5`. */
function bareId(name: string): string {
  const words = name
    .toLowerCase()
    .replace(/\s*\([^)]*\)/g, "")
    .trim()
    .replace(/^(anthropic|openai|google)[\s:]+/, "")
    .replace(/[\s_]+/g, "-");
  const id = words.startsWith("claude-") ? anthropicId(words) : words;
  return Object.hasOwn(FULL_IDS, id) ? FULL_IDS[id]! : id;
}

/** Anthropic's ids have no dots, and since version 4 the size comes before the number. */
function anthropicId(id: string): string {
  return id.replaceAll(".", "-").replace(/^claude-([4-9](?:-\d)?)-(haiku|sonnet|opus|fable)/, "claude-$2-$1");
}

/** Agent files use words such as `haiku`, `fast` and `deep` to say how much thought a task needs. */
const WORDS: Record<Tier, string> = {
  light: "haiku fast light lite small mini nano cheap quick",
  standard: "sonnet medium standard balanced",
  deep: "opus deep large heavy strong best fable",
};

const TIER_OF_WORD = new Map(
  Object.entries(WORDS).flatMap(([tier, words]) => words.split(" ").map((word) => [word, tier as Tier])),
);

/** Claude Code writes `sonnet[1m]` for a longer context. */
const tierOfWord = (word: string): Tier | undefined =>
  TIER_OF_WORD.get(word.toLowerCase().replace(/\[\d+[km]\]$/, ""));

/** The configured provider's model of the given size. If that provider has no sizes, the configured model is returned. */
function modelOfTier(tier: Tier, configured: string): string {
  const provider = providerOf(configured);
  const tiers = Object.hasOwn(PROVIDER_TIERS, provider) ? PROVIDER_TIERS[provider] : undefined;
  if (!tiers || tiers.tierOf(modelPartOf(configured)) === tier) return configured;
  return `${provider}/${tiers.models[tier]}`;
}
