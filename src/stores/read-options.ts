// Which of the journals are read, and up to where.

import type { RunId } from "../ids.ts";

/** Some of the journals: a run's, a tree's, or those of a person's runs. */
export interface JournalScope {
  run?: RunId;
  root?: RunId;
  user?: string;
}

export interface ReadOptions extends JournalScope {
  /**
   * For whoever keeps their place and never comes back: the page ends before the first event that only a newer version
   * understands, and is refused (JOURNAL_NEWER) where that one comes next.
   */
  stopAtNewer?: true;
}
