// What views ask of a run's journal, folded once for all of them.

import { runBudgetProjection } from "../../../src/projections/run-budget.ts";
import { runStateProjection } from "../../../src/projections/run-state.ts";
import { conversationProjection } from "../../../src/projections/talk.ts";
import { waterfallProjection } from "../../../src/projections/waterfall.ts";
import { incrementalFold } from "./fold-along.ts";

export const talkOf = incrementalFold(conversationProjection);
export const waterfallOf = incrementalFold(waterfallProjection);
export const runStateOf = incrementalFold(runStateProjection);
export const runBudgetOf = incrementalFold(runBudgetProjection);
