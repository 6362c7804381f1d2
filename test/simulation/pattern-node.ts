// A run as those see it who watch how agents work together.

import type { RunId } from "../../src/ids.ts";
import type { Payload } from "../../src/journal/events.ts";
import type { Patterns } from "./options.ts";

export interface PatternNode {
  runId: RunId;
  start: Payload<"RUN_STARTED">;
  asks: Patterns;
  children: { started: Payload<"CHILD_RUN_STARTED">; ended?: Payload<"CHILD_RUN_COMPLETED"> }[];
  /** Children whose time was over, and places that stay empty. */
  late: Set<RunId>;
  unstarted: Set<string>;
}

export type Nodes = ReadonlyMap<RunId, PatternNode>;

/** Nobody is to be waited for at this place any longer. */
export const isSettled = ({ children, unstarted, late }: PatternNode, key: string): boolean =>
  unstarted.has(key) ||
  children.some(
    ({ started, ended }) => started.key === key && (ended !== undefined || late.has(started.child_run_id)),
  );
