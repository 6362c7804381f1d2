// A run's budget: its limits, its spending, and the amount reserved for the current call. Used to show the budgets of a tree.

import type { Budget, JournalEvent } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { applyRunRow, initialRow, type RunRow } from "../folds/run-row.ts";
import type { Projection } from "../projection.ts";
import { budgetChangeIn, type Spending, sumOf } from "./budgets.ts";

export interface RunBudget {
  row: RunRow | undefined;
  /** The initial budgets of the run and of its tree. */
  own: Budget;
  tree: Budget;
  /** Changes that people made to the run's own budget. */
  raised: Budget;
  /** Changes to the tree's budget that are recorded in this journal, with their position in the store. */
  treeChanges: { position: number; limits: Budget }[];
  /** Amount spent on attempts without an answer. It is included in the spent amount. */
  wasted: Spending;
  /** Amount reserved for the current call and for the run's last turn. */
  reserved: Spending;
  /** The part of `reserved` that is kept for the last turn. */
  lastTurn: Spending;
}

export const runBudgetProjection: Projection<RunBudget> = {
  name: "run-budget",
  initial: () => ({
    row: undefined,
    own: {},
    tree: {},
    treeChanges: [],
    raised: {},
    wasted: { tokens: 0, cost: 0 },
    reserved: { tokens: 0, cost: 0 },
    lastTurn: { tokens: 0, cost: 0 },
  }),
  apply: applyRunBudget,
};

function applyRunBudget(state: RunBudget, event: JournalEvent): RunBudget {
  if (event.type === "RUN_STARTED") {
    const { limits } = event.payload;
    state.row = initialRow(event.runId, event.payload, event.ts);
    state.own = budgetIn(limits);
    state.tree = budgetIn(limits.tree ?? {});
  } else if (state.row) applyRunRow(state.row, event);
  const change = budgetChangeIn(event);
  if (change?.scope === "tree") state.treeChanges.push({ position: event.position, limits: change.limits });
  else if (change) state.raised = { ...state.raised, ...change.limits };
  trackCall(state, event);
  return state;
}

function trackCall(state: RunBudget, event: JournalEvent): void {
  switch (event.type) {
    case "MODEL_CALL_STARTED": {
      const { estimate = NOTHING, lastTurn = NOTHING } = event.payload;
      const { tokens, cost } = sumOf(estimate, lastTurn);
      state.reserved = { tokens, cost: cost ?? 0 };
      state.lastTurn = { tokens: lastTurn.tokens, cost: lastTurn.cost ?? 0 };
      break;
    }
    case "MODEL_CALL_FAILED": {
      const { usage, cost } = event.payload;
      state.wasted.tokens += usage ? usage.input + usage.output : 0;
      state.wasted.cost += cost ?? 0;
      state.reserved = state.lastTurn;
      break;
    }
    case "AGENT_THOUGHT": {
      const { lastTurn } = event.payload;
      state.reserved = lastTurn ? { tokens: lastTurn.tokens, cost: lastTurn.cost ?? 0 } : state.lastTurn;
      break;
    }
    case "RUN_COMPLETED":
    case "RUN_FAILED":
    case "RUN_CANCELLED":
    case "RUN_MOVED":
      state.reserved = { tokens: 0, cost: 0 };
      break;
    default:
  }
}

const NOTHING = { tokens: 0, cost: 0 };

const budgetIn = ({ maxTokens, maxCost }: Budget): Budget => omitUndefined({ maxTokens, maxCost });
