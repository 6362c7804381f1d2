// Model sizes. Agent files say how much thought a task needs (`haiku`, `fast`, `deep`), and each provider has a model for
// each size. The configured model is used for its own size: for a user who configured an older Opus, `opus` means that one.
// Every id must be in the price list, or budgets could not count it.

import { modelPartOf, providerOf } from "./names.ts";

export type Tier = "light" | "standard" | "deep";

const WORDS: Record<Tier, string> = {
  light: "haiku fast light lite small mini nano cheap quick",
  standard: "sonnet medium standard balanced",
  deep: "opus deep large heavy strong best fable",
};

const TIER_OF_WORD = new Map(
  Object.entries(WORDS).flatMap(([tier, words]) => words.split(" ").map((word) => [word, tier as Tier])),
);

interface ProviderTiers {
  models: Record<Tier, string>;
  tierOf(model: string): Tier;
}

export const PROVIDER_TIERS: Readonly<Record<string, ProviderTiers>> = {
  anthropic: {
    models: { light: "claude-haiku-4-5", standard: "claude-sonnet-5", deep: "claude-opus-5-5" },
    tierOf: bySize(/haiku/, /opus|fable/),
  },
  openai: {
    models: { light: "gpt-6-luna", standard: "gpt-6-sol", deep: "gpt-6-astra" },
    tierOf: bySize(/-(mini|nano|luna)/, /-(pro|astra)|^o\d/),
  },
  google: {
    models: {
      light: "gemini-3.5-flash-lite",
      standard: "gemini-3.8-flash",
      deep: "gemini-3.1-pro-preview",
    },
    tierOf: bySize(/-lite/, /-pro/),
  },
};

/** Claude Code writes `sonnet[1m]` for a longer context. */
export const tierOfWord = (word: string): Tier | undefined =>
  TIER_OF_WORD.get(word.toLowerCase().replace(/\[\d+[km]\]$/, ""));

/** The model of that size from the configured model's provider. If the provider has no sizes: the configured model. */
export function modelOfTier(tier: Tier, configured: string): string {
  const provider = providerOf(configured);
  const tiers = Object.hasOwn(PROVIDER_TIERS, provider) ? PROVIDER_TIERS[provider] : undefined;
  if (!tiers || tiers.tierOf(modelPartOf(configured)) === tier) return configured;
  return `${provider}/${tiers.models[tier]}`;
}

function bySize(light: RegExp, deep: RegExp): (model: string) => Tier {
  return (model) => (light.test(model) ? "light" : deep.test(model) ? "deep" : "standard");
}
