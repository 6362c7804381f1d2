// The users of a store, with their roles and the keys they sign in with.
// Only the hash of a key is stored, so a reader of the store gains no access. The folder's owner, who has the folder's token, is not listed here.
//  US1  A name belongs to one person forever. A user who gets access again still owns the same runs.
//  US2  When a user's keys are rotated or revoked, the old keys are deleted in the same commit, and every process that uses the store is notified.

export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export interface User {
  name: string;
  role: Role;
  madeAt: number;
  madeBy: string;
  /** When the current token was created. */
  rotatedAt: number;
  revokedAt: number | undefined;
}

export interface Users {
  /** All users ordered by name, including revoked users. */
  list(): Promise<User[]>;
  /** Returns false if the name belongs, or once belonged, to another user. */
  add(user: { name: string; role: Role; by: string; key: string }): Promise<boolean>;
  /** Replaces all keys of the user with this key. A revoked user gets access again. Returns false if there is no such user. */
  rotate(name: string, key: string): Promise<boolean>;
  /** The user's keys stay valid, with the new role. Returns false if no user with access has this name. */
  setRole(name: string, role: Role): Promise<boolean>;
  /** Returns false if no user with access has this name. */
  revoke(name: string): Promise<boolean>;
  /** Adds a key for a browser. Deletes the oldest keys if there are too many. Returns false if no user with access has this name. */
  addKey(name: string, key: string): Promise<boolean>;
  byKey(key: string): Promise<User | undefined>;
  /** The listener is called after every change by any process, and must not throw. Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void;
}
