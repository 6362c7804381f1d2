// What every contender offers, so that they are measured by the same child process in the same way.

export interface Scenario {
  /** How many runs at once; 0 only opens the storage. */
  runs: number;
  /** How often each run calls its model and then one tool, before its last words. */
  steps: number;
  /** An empty folder for whatever is kept on disk. The same for all calls in one process. */
  folder: string;
}

export interface About {
  /** Packages whose versions explain the numbers. */
  packages: readonly string[];
  /** What survives a crash, and what reaches the disk when. */
  durability: string;
}

export interface Contender {
  about: About;
  run(scenario: Scenario): Promise<{ steps: number }>;
  /** Everything is on disk, and nothing is held open. */
  close(): Promise<void>;
  /** A tree of 100 runs, three levels: one that starts nine, each of which starts ten; 110 model calls. */
  tree?(folder: string): Promise<void>;
  /** What only this contender has to show: numbers by name. */
  extras?(folder: string): Promise<Record<string, number>>;
}

/**
 * What the instant model thinks: one real turn of the event loop, then a tool call or the last words. Without the
 * turn, a contender that writes lazily would never get to its writing while the clock runs.
 */
export async function think(turn: number, steps: number): Promise<{ a: number; b: number } | undefined> {
  await new Promise((resolve) => setImmediate(resolve));
  return turn <= steps ? { a: turn, b: 1 } : undefined;
}

/** Who starts how many of whom. */
export const TREE = { root: { of: "mid", count: 9 }, mid: { of: "leaf", count: 10 } } as const;

export const add = ({ a, b }: { a: number; b: number }): { sum: number } => ({ sum: a + b });

export const INSTRUCTIONS = "You add numbers until you are told to stop.";
export const TASK = "Add one to each number that comes.";
export const LAST_WORDS = "All numbers are added.";
