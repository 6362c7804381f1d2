// Converts the model names that editors show into the maker's own ids: `Claude Sonnet 4.5 (copilot)` becomes
// `claude-sonnet-4-5`, a model of anthropic.

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

/** No longer served by their makers. */
const RETIRED: readonly RegExp[] = [
  /^claude-(v?1|v?2|instant)/,
  /^claude-3-(?!haiku)/,
  /^claude-[a-z]+-3(-|$)/,
  /^gpt-(3|4-|4\.5)/,
  /^o1-(mini|preview)/,
  /^gemini-(1|pro(?!-latest)|flash-1)/,
];

/** The maker's provider, found by the prefix of the id. Undefined for a text that cannot be an id, such as a sentence. */
export function familyOf(id: string): string | undefined {
  if (!/^[a-z0-9.:@-]+$/.test(id)) return undefined;
  return FAMILIES.find(([begins]) => begins.test(id))?.[1];
}

export const isRetired = (id: string): boolean => RETIRED.some((retired) => retired.test(id));

export function bareId(name: string): string {
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
