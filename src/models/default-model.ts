// Finds the default model for agents that name no model: the standard model of the first provider whose key is set.
// Only the names of the keys are returned, never their values.

import { PROVIDER_TIERS } from "./catalogue.ts";
import { providerTypes } from "./providers/index.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface KeyedModel {
  /** The environment variable that holds the key. */
  key: string;
  model: string;
}

const standardModel = (provider: string): string =>
  `${provider}/${PROVIDER_TIERS[provider]!.models.standard}`;

/** The model that texts give as an example. */
export const EXAMPLE_MODEL = standardModel("anthropic");

/** One model for each provider whose key is set. The preferred model comes first. */
export function modelsByKey(env: Env): KeyedModel[] {
  return (["anthropic", "openai", "google"] as const).flatMap((provider) => {
    const key = providerTypes[provider].keyEnv.find((name) => env[name]);
    return key ? [{ key, model: standardModel(provider) }] : [];
  });
}
