// Looks up the facts about a model by its full name: window, longest answer, price and abilities.
//  - Prices and windows come from @pydantic/genai-prices, which works offline.
//  - catalogue.json lists names and abilities from the provider packages. `npm run models` writes it.
//  - A model in neither list gets the limits of its family, such as Claude. Its price stays unknown: a wrong guess could exceed a budget.
// `contextWindows` and `prices` in cadre.yaml override all of this. The callers apply them.

import { createRequire } from "node:module";
import type { Usage } from "../journal/message.ts";
import { omitUndefined } from "../omit-undefined.ts";
import catalogue from "./catalogue.json" with { type: "json" };
import { isFree, modelPartOf, providerOf } from "./model.ts";

/** Abilities of a model, as its provider's package lists them. */
export interface ListedAbilities {
  /** The maximum number of tokens in an answer, including its reasoning. */
  maxOutput?: number;
  /** Whether the model can see images. */
  vision?: boolean;
  /** The model's levels of reasoning, or only whether it can reason at all. */
  reasoning?: boolean | readonly string[];
  /** Whether the provider makes the model follow a JSON schema. */
  jsonSchema?: boolean;
}

export interface ModelFacts extends ListedAbilities {
  /** The maximum number of tokens in a prompt. */
  contextWindow?: number;
  /** US dollars per million tokens. Some models charge more for long prompts, and only `listedCost` takes that into account. */
  price?: Price;
}

/** US dollars per million tokens. If cached tokens have no price, they cost as much as input. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/** The facts about a model. `listedAs` is the provider's name in the price list, if cadre.yaml gives the provider another name. */
export function modelFacts(model: string, listedAs = providerOf(model)): ModelFacts {
  if (isFree(model)) return {};
  const id = modelPartOf(model);
  const listed = look(id, listedAs, { input: 0, output: 0 });
  const family = FAMILIES.find(({ ids }) => ids.test(id));
  const { ids: _, reservesOutput, ...limits } = family ?? { ids: /^/ };
  const facts = {
    ...limits,
    ...omitUndefined({ contextWindow: listed?.model.context_window }),
    ...abilities(id),
  };
  const { contextWindow, maxOutput = 0 } = facts;
  return {
    ...facts,
    ...(reservesOutput && contextWindow ? { contextWindow: contextWindow - maxOutput } : {}),
    ...(listed ? { price: priceIn(listed.model_price) } : {}),
  };
}

/** The cost of a call by the price list, or null if the list does not know the model. */
export function listedCost(model: string, usage: Usage, listedAs = providerOf(model)): number | null {
  return look(modelPartOf(model), listedAs, usage)?.total_price ?? null;
}

/** Finds the provider of a model that was named without one. An error message suggests this provider. */
export function makerOf(model: string): string | undefined {
  return list().findProvider({ modelId: model })?.id;
}

interface Family {
  ids: RegExp;
  contextWindow: number;
  maxOutput?: number;
  /** True if the listed window includes the longest answer, so that a prompt may only use the rest. */
  reservesOutput?: true;
}

/** Limits for models that the lists lack, or list without limits. They are low estimates, because a newer model usually has more. */
const FAMILIES: readonly Family[] = [
  { ids: /claude-(3-(haiku|opus|sonnet)|v?2|instant)/, contextWindow: 200_000, maxOutput: 4_096 },
  { ids: /claude/, contextWindow: 200_000, maxOutput: 32_000 },
  { ids: /gpt-4\.1/, contextWindow: 1_047_576, maxOutput: 32_768 },
  { ids: /gpt-(3|4)/, contextWindow: 128_000, maxOutput: 16_384 },
  { ids: /gpt-5.*chat/, contextWindow: 128_000, maxOutput: 16_384 },
  { ids: /gpt-oss/, contextWindow: 128_000 },
  { ids: /gpt-\d|codex/, contextWindow: 400_000, maxOutput: 128_000, reservesOutput: true },
  { ids: /(^|[/.])o\d/, contextWindow: 200_000, maxOutput: 100_000, reservesOutput: true },
  { ids: /gemini-[12]\.0|gemini-1/, contextWindow: 1_000_000, maxOutput: 8_192 },
  { ids: /gemini/, contextWindow: 1_000_000, maxOutput: 65_536 },
  { ids: /deepseek/, contextWindow: 128_000, maxOutput: 8_192 },
];

const LISTED: Readonly<Record<string, ListedAbilities>> = catalogue.models;

/** A cloud or a gateway adds its own words to a maker's id: `us.anthropic.claude-opus-5-5`, `anthropic/claude-opus-5.5`. */
const NAMES = Object.entries(LISTED)
  .map(([name, facts]) => ({ name: modelPartOf(name), facts }))
  .toSorted((one, other) => other.name.length - one.name.length);

function abilities(id: string): ListedAbilities | undefined {
  const words = id.toLowerCase();
  const makers = words.includes("claude") ? words.replaceAll(".", "-") : words;
  return NAMES.find(({ name }) => {
    const at = makers.indexOf(name);
    const next = makers.slice(at + name.length);
    // `gpt-5` must not be taken for `gpt-5.5` or `gpt-5-mini`. A date or a version after the name is fine.
    return at >= 0 && /^$|^[-@:](\d{4}|v\d|latest)/.test(next);
  })?.facts;
}

/** The list is loaded when the first price is needed, because it is as large as all of Cadre's own code. */
const load = createRequire(import.meta.url);
const list = (): typeof import("@pydantic/genai-prices") => load("@pydantic/genai-prices");

function look(id: string, provider: string, usage: Usage): ReturnType<ReturnType<typeof list>["calcPrice"]> {
  const tokens = {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead ?? 0,
    cache_write_tokens: usage.cacheWrite ?? 0,
  };
  try {
    return list().calcPrice(tokens, id, { providerId: provider });
  } catch {
    // The list throws if the counts contradict each other (more cached tokens than input tokens). In that case the price is unknown.
    return null;
  }
}

function priceIn(prices: Readonly<Record<string, number | { base: number } | undefined>>): Price {
  const of = (key: string): number | undefined => {
    const price = prices[key];
    return typeof price === "object" ? price.base : price;
  };
  const cached = omitUndefined({ cacheRead: of("cache_read_mtok"), cacheWrite: of("cache_write_mtok") });
  return { input: of("input_mtok") ?? 0, output: of("output_mtok") ?? 0, ...cached };
}

/** The sizes in which a provider offers its models. */
export type Tier = "light" | "standard" | "deep";

interface ProviderTiers {
  models: Record<Tier, string>;
  tierOf(model: string): Tier;
}

/**
 * The model of each size. The standard model is also the default if only the provider's key is set.
 * Every id must be in the price list; otherwise budgets could not count its cost.
 */
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

function bySize(light: RegExp, deep: RegExp): (model: string) => Tier {
  return (model) => (light.test(model) ? "light" : deep.test(model) ? "deep" : "standard");
}
