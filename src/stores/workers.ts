/** A process that drives runs, as it says of itself. */
export interface WorkerCard {
  host: string;
  pid: number;
  /** Whose runs it takes (E6). */
  pool: string;
  version: string;
  since: number;
  /** Runs that it leaves to a newer version, whose journals it does not understand. */
  tooNew?: number | undefined;
}

export interface WorkerRow extends WorkerCard {
  name: string;
  seenAt: number;
  /** Not heard of for longer than a lease lasts: dead, frozen or cut off. Its runs are anybody's. */
  silent: boolean;
  /** Runs that it holds. */
  runs: number;
  /** The first few of them. */
  holds: string[];
}

/** E2: whom an engine has lost: these workers, or whoever has given no sign of life for so long. */
export type LostWorkers = { workers: readonly string[] } | { silentFor: number };
