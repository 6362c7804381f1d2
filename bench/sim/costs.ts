// The cost of each operation, measured by a bench on two cores of an AMD EPYC (docs/how/scale.md says when and how). The
// simulation knows nothing else about the machine: with other numbers it simulates another machine.

export interface Costs {
  /** CPU time of a worker for one step. */
  workerStepMs: number;
  /** A transaction with one append, from locking the head to releasing it: round trips and disk writes. */
  commitMs: number;
  /** Each additional append in the same transaction. */
  appendMs: number;
  /** CPU time of Postgres for one step. */
  postgresStepMs: number;
  /** Wakes per second that an engine accepts, with one worker. */
  wakesPerSecond: Record<"pg-boss" | "restate", number>;
  /** CPU time of a server to send one event to one reader. */
  deliveryMs: number;
}

export const MEASURED: Costs = {
  workerStepMs: 1.8,
  commitMs: 3.1,
  appendMs: 0.22,
  postgresStepMs: 1.2,
  wakesPerSecond: { "pg-boss": 850, restate: 500 },
  deliveryMs: 0.0275,
};

/** Assumptions about the world outside Cadre: how fast models write, how long people take, and how many watch. */
export const WORLD = {
  modelMs: 800,
  charactersPerSecond: 240,
  personMs: 30_000,
  /** Browsers per active run. */
  readersPerRun: 0.2,
  /** Streamed text events per step, in addition to stored events. */
  deltasPerStep: 20,
};
