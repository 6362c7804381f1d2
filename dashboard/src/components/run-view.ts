// What every view of a run's tree is given: they show the same selection of the same journal.

import type { TreeJournal } from "../live/tree-journal.ts";

export interface RunViewProps {
  journal: TreeJournal;
  /** The run that is looked at. */
  runId: string;
  /** The event of it that is looked at. */
  seq?: number | undefined;
  onSelect(runId: string, seq?: number): void;
}
