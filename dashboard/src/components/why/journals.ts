// The journals of a tree, as the projections that ask why take them.

import type { Journals } from "../../../../src/projections/views/causes.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";

export const journalsOf = ({ runs }: TreeJournal): Journals =>
  new Map(Array.from(runs, ([id, { events }]) => [id, events]));

/** Where an event can be looked at by whoever has this page. */
export const eventLink = (runId: string, seq: number): string => `${location.origin}/r/${runId}#${seq}`;
