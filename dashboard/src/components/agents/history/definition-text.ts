// A pinned definition as lines that can be compared: one key per line, then the prompt as it is.

import type { AgentDetail } from "../../../../../src/api/client/types.ts";

type Definition = NonNullable<AgentDetail["definition"]>;

export function definitionText({ prompt, ...keys }: Definition): string {
  const lines = Object.entries(keys)
    .filter(([key]) => key !== "source")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [...lines, "---", prompt, ""].join("\n");
}
