// Who may come in beside the holder of the folder's token: names with roles, and the keys that each comes in by. A key is
// kept as its hash alone, so that who reads the store can open nothing with it.
//  US1  A name is one person's for good: whoever is let in again under it is given the same runs.
//  US2  A rotated or revoked user's keys are gone in the same commit, and every process that has the store open is told.

export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export interface User {
  name: string;
  role: Role;
  madeAt: number;
  madeBy: string;
  /** When the token was made that counts now. */
  rotatedAt: number;
  /** Comes in no more. */
  revokedAt: number | undefined;
}

export interface Users {
  /** By name, those that were revoked among them. */
  list(): Promise<User[]>;
  /** False: the name is, or was, somebody's. */
  add(user: { name: string; role: Role; by: string; key: string }): Promise<boolean>;
  /** This key takes the place of all others, and whoever was revoked is let in again. False: there is nobody of that name. */
  rotate(name: string, key: string): Promise<boolean>;
  /** The keys stay, and count for that role. False: there is nobody of that name to be let in. */
  setRole(name: string, role: Role): Promise<boolean>;
  /** False: there is nobody of that name to be let in. */
  revoke(name: string): Promise<boolean>;
  /** One more key, as a browser gets: of many the oldest end. False: there is nobody of that name to be let in. */
  addKey(name: string, key: string): Promise<boolean>;
  byKey(key: string): Promise<User | undefined>;
  /** Told after every change, by whichever process. Answers with what ends it. Contract: must not throw. */
  onChange(listener: () => void): () => void;
}

/** Browsers that one person is signed in with. */
export const MAX_BROWSERS = 20;

type Columns = Record<string, unknown>;

/** Both stores have columns of these names. */
export const readUser = (columns: Columns): User => ({
  name: columns["name"] as string,
  role: columns["role"] as Role,
  madeAt: columns["made_at"] as number,
  madeBy: columns["made_by"] as string,
  rotatedAt: columns["rotated_at"] as number,
  revokedAt: (columns["revoked_at"] ?? undefined) as number | undefined,
});

/** Those who want to hear of changes. */
export function createListeners(): { add(listener: () => void): () => void; tell(): void } {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell() {
      for (const listener of listeners) listener();
    },
  };
}
