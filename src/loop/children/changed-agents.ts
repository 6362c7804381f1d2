// A37: an agent file that was written by a run of a tree is used only in the next tree. A model wrote it, and the
// person who
// started this tree has never seen what it allows.

import type { Definition } from "../../journal/definition.ts";
import { type RunState, runStateProjection } from "../../projections/folds/run-state.ts";
import { fold } from "../../projections/projection.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

/** Why the agent is not started. Looks at this run, at its children's results, and at the runs above. */
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
