// The journals of a tree in the form the projections expect.

import type { Journals } from "../../../../src/projections/views/causes.ts";
import type { TreeJournal } from "../../live/tree-journal.ts";

export const journalsOf = ({ runs }: TreeJournal): Journals =>
  new Map(Array.from(runs, ([id, { events }]) => [id, events]));

/** The URL of an event on this server. */
export const eventLink = (runId: string, seq: number): string => `${location.origin}/r/${runId}#${seq}`;
