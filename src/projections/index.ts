// All projections, for whoever folds a journal into each of them.

import { runStateProjection } from "./folds/run-state.ts";
import { transcriptProjection } from "./folds/transcript.ts";
import { usageProjection } from "./usage/run-usage.ts";
import { timelineProjection } from "./views/timeline.ts";

export const projections = [
  runStateProjection,
  transcriptProjection,
  usageProjection,
  timelineProjection,
] as const;
