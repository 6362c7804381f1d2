// Which workers take which runs (E6): a tree's files must be where its worker is, so the folder that it works in names its
// pool. Folders that no pool names are the default pool's.

export const DEFAULT_POOL = "default";

/** Absolute folders by the name of their pool. */
export type Pools = Readonly<Record<string, readonly string[]>>;

export function poolOf(pools: Pools, folder: string): string {
  const named = Object.entries(pools).find(([, folders]) => folders.includes(folder));
  return named?.[0] ?? DEFAULT_POOL;
}

/** Undefined: all of them, wherever they work. */
export function workspacesOf(
  pools: Pools,
  pool: string,
): { in: readonly string[] } | { notIn: readonly string[] } | undefined {
  const own = pools[pool];
  if (own) return { in: own };
  const others = Object.values(pools).flat();
  return others.length === 0 ? undefined : { notIn: others };
}
