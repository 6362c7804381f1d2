// Shows the result of a probe: what it suggests, and the evidence.

import type { Probe } from "../../api/client/types.ts";
import { PROBE_WORDS } from "../../projections/words/tool-outcomes.ts";
import { plainLine } from "./text/plain.ts";

export const probeLines = ({ found, evidence }: Probe): string[] => [
  `a look says: ${PROBE_WORDS[found]}`,
  ...evidence.map((words) => `  ${plainLine(words)}`),
];
