import { awaitsDecision } from "./folds/approvals.ts";
import { latestChildFor } from "./folds/child-runs.ts";
import type { RunState } from "./folds/run-state.ts";
import { DELEGATE } from "./folds/tool-call.ts";

/** Children that are asked for, and begin as soon as others have made room for them. */
export const childrenToStart = ({ calls, children }: RunState): number =>
  [...calls.values()].filter(
    (call) =>
      (call.proposal?.name ?? call.name) === DELEGATE &&
      !call.result &&
      !awaitsDecision(call) &&
      latestChildFor(children, call.id) === undefined,
  ).length;
