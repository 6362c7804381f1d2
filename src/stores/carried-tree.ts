import type { Position, RunId } from "../ids.ts";
import type { JournalEvent, Standing } from "../journal/events.ts";
import type { ChainLink } from "../journal/hash.ts";

/** E7: an event as it lies in the store. `text`: its payload, or the name of its blob. */
export interface StoredEvent extends ChainLink {
  runId: RunId;
  position: Position;
  hash: string;
}

/** E7: a tree that is read from elsewhere, in commit order. */
export interface CarriedTree {
  transferId: string;
  root: RunId;
  events: readonly { event: JournalEvent; text: string; hash: string }[];
  /** As they are stored, by name. */
  blobs: ReadonlyMap<string, string>;
  standing: ReadonlyMap<RunId, Standing>;
}

/** E7: what of a tree is carried away. Undefined `transferId`: it had ended, nothing was moved, and it is a copy. */
export interface MovedTree {
  transferId: string | undefined;
  standing: { runId: RunId; standing: Standing }[];
}
