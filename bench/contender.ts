// The interface of a contender. The same child process measures all of them in the same way.

export interface Scenario {
  /** How many runs work at the same time; 0 only opens the storage. */
  runs: number;
  /** How often each run calls its model and then one tool, before its final answer. */
  steps: number;
  /** An empty folder for files. All calls in one process share it. */
  folder: string;
}

export interface About {
  /** Packages whose versions explain the numbers. */
  packages: readonly string[];
  /** What survives a crash, and when data reaches the disk. */
  durability: string;
}

export interface Contender {
  about: About;
  run(scenario: Scenario): Promise<{ steps: number }>;
  /** Resolves when everything is on disk and no file is open. */
  close(): Promise<void>;
  /** A tree of 100 runs on three levels: the root starts nine, each of which starts ten; 110 model calls. */
  tree?(folder: string): Promise<void>;
  /** Numbers that only this contender reports, by name. */
  extras?(folder: string): Promise<Record<string, number>>;
}

/**
 * The instant model: it waits for one turn of the event loop, then answers with a tool call or the final text. Without that
 * turn, a contender that writes lazily would never write while the clock runs.
 */
export async function think(turn: number, steps: number): Promise<{ a: number; b: number } | undefined> {
  await new Promise((resolve) => setImmediate(resolve));
  return turn <= steps ? { a: turn, b: 1 } : undefined;
}

/** How many children each level of the tree starts. */
export const TREE = { root: { of: "mid", count: 9 }, mid: { of: "leaf", count: 10 } } as const;

export const add = ({ a, b }: { a: number; b: number }): { sum: number } => ({ sum: a + b });

export const INSTRUCTIONS = "You add numbers until you are told to stop.";
export const TASK = "Add one to each number that comes.";
export const LAST_WORDS = "All numbers are added.";
