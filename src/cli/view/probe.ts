// What a look for the effect of a call found: what it proposes, and what was seen.

import type { Probe } from "../../api/schema.ts";
import { PROBE_WORDS } from "../../projections/found-words.ts";
import { plainLine } from "./plain.ts";

export const probeLines = ({ found, evidence }: Probe): string[] => [
  `a look says: ${PROBE_WORDS[found]}`,
  ...evidence.map((words) => `  ${plainLine(words)}`),
];
