// What a tree has changed does not begin in it: an agent's file that one of its runs has written is for the next tree (A37). Whoever
// wrote it, a model did, and what it may do was never looked at by the person who started this one.

import type { Definition } from "../../journal/definition.ts";
import { type RunState, runStateProjection } from "../../projections/folds/run-state.ts";
import { fold } from "../../projections/projection.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

/** Why it is not started, or undefined. Looks at this run, at what its children have handed in, and at the runs above. */
export async function changedAgentProblem(
  { source, steps }: Definition,
  { state }: RunJournal,
  { store }: Pick<LoopParts, "store">,
): Promise<string | undefined> {
  const files = [source.file, ...(steps ? [steps.module] : [])];
  const changedBy = (one: RunState): string | undefined => files.find((file) => one.files.has(file));
  let changed = changedBy(state);
  for (const { runId } of state.start!.ancestors ?? []) {
    changed ??= changedBy(fold(runStateProjection, await store.journal.read(runId)));
  }
  return changed && `${changed} was changed by a run of this tree, so it is not used before the next one`;
}
