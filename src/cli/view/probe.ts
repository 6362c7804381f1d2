// What a look for the effect of a call found: what it proposes, and what was seen.

import type { Probe } from "../../api/client/types.ts";
import { PROBE_WORDS } from "../../projections/words/tool-outcomes.ts";
import { plainLine } from "./text/plain.ts";

export const probeLines = ({ found, evidence }: Probe): string[] => [
  `a look says: ${PROBE_WORDS[found]}`,
  ...evidence.map((words) => `  ${plainLine(words)}`),
];
