// What things cost, each measured by a bench on two cores of an AMD EPYC (docs/how/scale.md says when and beside what). The
// simulation knows nothing else of the machine: with other numbers it answers for another one.

export interface Costs {
  /** CPU of a worker for one step. */
  workerStepMs: number;
  /** A transaction of one append, from the lock of the head to its release: round trips and the disk. */
  commitMs: number;
  /** Each further append in the same transaction. */
  appendMs: number;
  /** CPU of Postgres for one step. */
  postgresStepMs: number;
  /** Wakes that an engine takes, with one worker. */
  wakesPerSecond: Record<"pg-boss" | "restate", number>;
  /** CPU of a server for one event that one reader gets. */
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

/** What is no cost of ours: how fast models write, how long people take, and who watches. */
export const WORLD = {
  modelMs: 800,
  charactersPerSecond: 240,
  personMs: 30_000,
  /** Browsers for each run that is under way. */
  readersPerRun: 0.2,
  /** Events of a step that are streamed to them beside what is stored: words as they come. */
  deltasPerStep: 20,
};
