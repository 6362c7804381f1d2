// Named users at the door: who a key belongs to, and which connections came in by it.
//  G9  A key that counts no more, or counts for another role, has its connections cut at once, in every process (A09).

import { createHash, randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Users } from "../../stores/users.ts";
import { type Person, personOf } from "./person.ts";

export interface UserConnections {
  /** Undefined: nobody's key. */
  admit(key: string, socket: Socket | undefined): Promise<Person | undefined>;
  /** A key for one more browser of a user; undefined: they come in no more. */
  addBrowser(name: string): Promise<string | undefined>;
  close(): void;
}

export interface UserConnectionsOptions {
  users: Users;
  /** What the project shares with those who are no admins. */
  sees: Person["sees"];
  cut(sockets: ReadonlySet<Socket>): void;
  onProblem(problem: { message: string; error: unknown }): void;
}

/** A token, or what a browser keeps: nobody guesses it, so its hash needs no salt. */
export const newKey = (): string => randomBytes(32).toString("base64url");
export const hashKey = (key: string): string => createHash("sha256").update(key).digest("hex");

interface Entry {
  role: Person["role"];
  sockets: Set<Socket>;
}

export function createUserConnections({
  users,
  sees,
  cut,
  onProblem,
}: UserConnectionsOptions): UserConnections {
  const entries = new Map<string, Entry>();
  const leaving = new WeakSet<Socket>();
  const attend = (hash: string, role: Person["role"], socket: Socket): void => {
    const entry = entries.get(hash) ?? { role, sockets: new Set() };
    entries.set(hash, entry);
    entry.role = role;
    if (entry.sockets.has(socket)) return;
    entry.sockets.add(socket);
    if (leaving.has(socket)) return;
    leaving.add(socket);
    socket.once("close", () => {
      for (const [key, { sockets }] of entries)
        if (sockets.delete(socket) && sockets.size === 0) entries.delete(key);
    });
  };
  const look = async (): Promise<void> => {
    for (const [hash, { role, sockets }] of [...entries])
      if ((await users.byKey(hash))?.role !== role) {
        entries.delete(hash);
        cut(sockets);
      }
  };
  let changes = 0;
  const end = users.onChange(() => {
    changes++;
    // Not knowing is no reason to stay open.
    look().catch((error: unknown) => {
      for (const { sockets } of entries.values()) cut(sockets);
      onProblem({
        message: "Who may still come in could not be read: named users must connect anew.",
        error,
      });
    });
  });
  /** Revoked while it was looked up, it would be let in, and cut by nobody. */
  const known = async (hash: string): ReturnType<Users["byKey"]> => {
    for (;;) {
      const before = changes;
      const user = await users.byKey(hash);
      if (changes === before) return user;
    }
  };
  return {
    async admit(key, socket) {
      if (key === "") return undefined;
      const hash = hashKey(key);
      const user = await known(hash);
      if (user && socket) attend(hash, user.role, socket);
      return user && personOf(user, sees);
    },
    async addBrowser(name) {
      const key = newKey();
      return (await users.addKey(name, hashKey(key))) ? key : undefined;
    },
    close: end,
  };
}
