import type { Position, RunId } from "../ids.ts";
import type { JournalEvent, UnjournaledState } from "../journal/events.ts";
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
  standing: ReadonlyMap<RunId, UnjournaledState>;
}

/** E7: what of a tree is carried away. Undefined `transferId`: it had ended, nothing was moved, and it is a copy. */
export interface MovedTree {
  transferId: string | undefined;
  standing: { runId: RunId; standing: UnjournaledState }[];
  /** It was sent there, and whether it has arrived is not known. */
  sentTo?: string;
}

/** E7: the part of a store that trees leave and come by. */
export interface Transfers {
  /**
   * Ends every run of a tree that has not ended, because it goes on elsewhere. One transaction; refused (CONFLICT) unless
   * the whole tree is at rest. Asked again, the answer is the first one's. `to`: the server that it is sent to now. While
   * nobody knows whether it has arrived there it may be sent there again, and nowhere else; once it has, it is not handed
   * out any more (CONFLICT).
   */
  moveTree(root: RunId, transferId: string, to?: string): Promise<MovedTree>;
  /**
   * What the server answered that a tree was sent to. One that refuses may have taken it before: only the answer to the
   * first try says that it is not there, and lets it be sent elsewhere.
   */
  settleMove(root: RunId, to: string, outcome: MoveOutcome): Promise<void>;
  /**
   * Takes a tree in whose chains were verified: one transaction, with the tree's own ids, seqs, times and hashes, and
   * positions of this store. What is here already and the same stays; another run of an id that is taken is a CONFLICT.
   * A transfer comes in once: `existed` says that it has.
   */
  importTree(tree: CarriedTree): Promise<{ root: RunId; existed: boolean }>;
}

export type MoveOutcome = "arrived" | "refused";
