// The users of a store, with their roles and the keys they sign in with.
// Only the hash of a key is stored, so reading the store gives no access. The holder of the folder's token is not listed here.
//  US1  A name belongs to one person forever: a user who gets access again has the same runs.
//  US2  The keys of a rotated or revoked user are deleted in the same commit, and every process with the store open is told.

export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export interface User {
  name: string;
  role: Role;
  madeAt: number;
  madeBy: string;
  /** When the current token was made. */
  rotatedAt: number;
  /** When access was revoked. */
  revokedAt: number | undefined;
}

export interface Users {
  /** All users in the order of their names, including revoked ones. */
  list(): Promise<User[]>;
  /** False: the name belongs, or belonged, to another user. */
  add(user: { name: string; role: Role; by: string; key: string }): Promise<boolean>;
  /** This key replaces all others, and a revoked user gets access again. False: there is no such user. */
  rotate(name: string, key: string): Promise<boolean>;
  /** The keys stay valid, with the new role. False: there is no such user with access. */
  setRole(name: string, role: Role): Promise<boolean>;
  /** False: there is no such user with access. */
  revoke(name: string): Promise<boolean>;
  /** One more key, for a browser; the oldest ones end when there are too many. False: there is no such user with access. */
  addKey(name: string, key: string): Promise<boolean>;
  byKey(key: string): Promise<User | undefined>;
  /** Called after every change by any process. Returns a function that ends the subscription. Contract: must not throw. */
  onChange(listener: () => void): () => void;
}
