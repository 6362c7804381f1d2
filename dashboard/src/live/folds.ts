// What views ask of a run's journal, folded once for all of them.

import { runBudgetProjection } from "../../../src/projections/run-budget.ts";
import { runStateProjection } from "../../../src/projections/run-state.ts";
import { talkProjection } from "../../../src/projections/talk.ts";
import { waterfallProjection } from "../../../src/projections/waterfall.ts";
import { foldAlong } from "./fold-along.ts";

export const talkOf = foldAlong(talkProjection);
export const waterfallOf = foldAlong(waterfallProjection);
export const runStateOf = foldAlong(runStateProjection);
export const runBudgetOf = foldAlong(runBudgetProjection);
