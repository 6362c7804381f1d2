// The data about a run that `pattern-watch.ts` and `team-watch.ts` use.

import type { RunId } from "../../src/ids.ts";
import type { Payload } from "../../src/journal/events.ts";
import type { Patterns } from "./options.ts";

export interface PatternNode {
  runId: RunId;
  start: Payload<"RUN_STARTED">;
  asks: Patterns;
  children: { started: Payload<"CHILD_RUN_STARTED">; ended?: Payload<"CHILD_RUN_COMPLETED"> }[];
  /** `late` lists the children that ran out of time. `unstarted` lists the pattern slots for which no run could start. */
  late: Set<RunId>;
  unstarted: Set<string>;
}

export type Nodes = ReadonlyMap<RunId, PatternNode>;

/** Whether this pattern slot is settled: its run has ended, ran out of time, or could not start. */
export const isSettled = ({ children, unstarted, late }: PatternNode, key: string): boolean =>
  unstarted.has(key) ||
  children.some(
    ({ started, ended }) => started.key === key && (ended !== undefined || late.has(started.child_run_id)),
  );
