// Decides which workers take which runs (E6). A worker can take a run only if the run's files are on the worker's machine.
// A pool that is set in the agent's file applies. If none is set, the folder of the root run decides.
// Folders that are listed in no pool belong to the default pool.

export const DEFAULT_POOL = "default";

/** Absolute paths of folders, by the name of their pool. */
export type Pools = Readonly<Record<string, readonly string[]>>;

/** Selects the runs of a pool (E6): by the pool that is set in the agent's file, or else by the workspace of the root run. */
export interface PoolFilter {
  pool: string;
  /** The names of all pools. Any other name in an agent's file is ignored. */
  pools: readonly string[];
  /** Selects runs by the workspace of their root run: `in` lists the accepted workspaces, `notIn` the rejected ones. */
  workspaces: { in: readonly string[] } | { notIn: readonly string[] };
}

export const poolNames = (pools: Pools): string[] => [...new Set([DEFAULT_POOL, ...Object.keys(pools)])];

export function poolOf(pools: Pools, folder: string): string {
  const named = Object.entries(pools).find(([, folders]) => folders.includes(folder));
  return named?.[0] ?? DEFAULT_POOL;
}

/** Returns undefined if there are no pools. Then every worker takes all runs. */
export function poolFilter(pools: Pools, pool: string): PoolFilter | undefined {
  if (Object.keys(pools).length === 0) return undefined;
  const own = pools[pool];
  const workspaces = own ? { in: own } : { notIn: Object.values(pools).flat() };
  return { pool, pools: poolNames(pools), workspaces };
}
