// Which workers take which runs (E6): a run's files must be where its worker is. Its agent's file names the pool, or the folder
// that its tree works in does. Folders that no pool names are the default pool's.

export const DEFAULT_POOL = "default";

/** Absolute folders by the name of their pool. */
export type Pools = Readonly<Record<string, readonly string[]>>;

/** The runs of a pool (E6): those of agents that name it, and of all that name none by where their trees work. */
export interface PoolFilter {
  pool: string;
  /** Every name that a pool has. Another one in an agent's file is none. */
  pools: readonly string[];
  /** The workspace of the root is one of these, or none of them. */
  workspaces: { in: readonly string[] } | { notIn: readonly string[] };
}

export const poolNames = (pools: Pools): string[] => [...new Set([DEFAULT_POOL, ...Object.keys(pools)])];

export function poolOf(pools: Pools, folder: string): string {
  const named = Object.entries(pools).find(([, folders]) => folders.includes(folder));
  return named?.[0] ?? DEFAULT_POOL;
}

/** Undefined: all of them, whoever's and wherever they work. */
export function poolFilter(pools: Pools, pool: string): PoolFilter | undefined {
  if (Object.keys(pools).length === 0) return undefined;
  const own = pools[pool];
  const workspaces = own ? { in: own } : { notIn: Object.values(pools).flat() };
  return { pool, pools: poolNames(pools), workspaces };
}
