// The props that all views of a run share. All views show the same journal and the same selection.

import type { TreeJournal } from "../live/tree-journal.ts";

export interface RunViewProps {
  journal: TreeJournal;
  /** The selected run. */
  runId: string;
  /** The selected event of that run. */
  seq?: number | undefined;
  onSelect(runId: string, seq?: number): void;
}
