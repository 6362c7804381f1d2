// What views ask of a run's journal, folded once for all of them.

import { runStateProjection } from "../../../src/projections/folds/run-state.ts";
import { runBudgetProjection } from "../../../src/projections/usage/run-budget.ts";
import { conversationProjection } from "../../../src/projections/views/conversation.ts";
import { waterfallProjection } from "../../../src/projections/views/waterfall.ts";
import { incrementalFold } from "./incremental-fold.ts";

export const talkOf = incrementalFold(conversationProjection);
export const waterfallOf = incrementalFold(waterfallProjection);
export const runStateOf = incrementalFold(runStateProjection);
export const runBudgetOf = incrementalFold(runBudgetProjection);
