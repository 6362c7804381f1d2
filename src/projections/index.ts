// All projections, for whoever folds a journal into each of them.

import { runStateProjection } from "./run-state.ts";
import { timelineProjection } from "./timeline.ts";
import { transcriptProjection } from "./transcript.ts";
import { usageProjection } from "./usage.ts";

export const projections = [
  runStateProjection,
  transcriptProjection,
  usageProjection,
  timelineProjection,
] as const;
