// Finds the default model for agents that name no model: a model of the first provider whose key is set.
// Only the names of the keys are returned, never their values.

type Env = Readonly<Record<string, string | undefined>>;

export interface KeyedModel {
  /** The environment variable that holds the key. */
  key: string;
  model: string;
}

const MODELS: readonly KeyedModel[] = [
  { key: "ANTHROPIC_API_KEY", model: "anthropic/claude-sonnet-4-5" },
  { key: "OPENAI_API_KEY", model: "openai/gpt-5" },
  { key: "GOOGLE_GENERATIVE_AI_API_KEY", model: "google/gemini-2.5-pro" },
  { key: "GEMINI_API_KEY", model: "google/gemini-2.5-pro" },
];

/** One model for each provider whose key is set. The preferred model comes first. */
export function modelsByKey(env: Env): KeyedModel[] {
  const found = MODELS.filter(({ key }) => env[key]);
  return found.filter(({ model }, index) => found.findIndex((other) => other.model === model) === index);
}
