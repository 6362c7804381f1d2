// Tracks the connections of named users: the user of each key, and the sockets that use the key.
//  G9  If a key is revoked or its user's role changes, the key's connections are closed immediately, in every process (A09).

import { createHash, randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Users } from "../../stores/users.ts";
import { type Person, personOf } from "./person.ts";

export interface UserConnections {
  /** Finds the user with this key, and remembers that the socket uses the key. Returns undefined if no user has the key. */
  admit(key: string, socket: Socket | undefined): Promise<Person | undefined>;
  /** Creates a key for another browser of a user. Returns undefined if the user's access is revoked. */
  addBrowser(name: string): Promise<string | undefined>;
  close(): void;
}

export interface UserConnectionsOptions {
  users: Users;
  /** The runs that users without the role `admin` see. */
  sees: Person["sees"];
  cut(sockets: ReadonlySet<Socket>): void;
  onProblem(problem: { message: string; error: unknown }): void;
}

/** Makes the value of a token or a cookie. The value is random, so its hash needs no salt. */
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
  const tracked = new WeakSet<Socket>();
  const trackSocket = (hash: string, role: Person["role"], socket: Socket): void => {
    const entry = entries.get(hash) ?? { role, sockets: new Set() };
    entries.set(hash, entry);
    entry.role = role;
    if (entry.sockets.has(socket)) return;
    entry.sockets.add(socket);
    if (tracked.has(socket)) return;
    tracked.add(socket);
    socket.once("close", () => {
      for (const [key, { sockets }] of entries)
        if (sockets.delete(socket) && sockets.size === 0) entries.delete(key);
    });
  };
  const cutChanged = async (): Promise<void> => {
    for (const [hash, { role, sockets }] of [...entries])
      if ((await users.byKey(hash))?.role !== role) {
        entries.delete(hash);
        cut(sockets);
      }
  };
  let changes = 0;
  const unsubscribe = users.onChange(() => {
    changes++;
    // If the list of users cannot be read, close the connections of all named users.
    cutChanged().catch((error: unknown) => {
      for (const { sockets } of entries.values()) cut(sockets);
      onProblem({
        message:
          "The list of users could not be read, so named users were disconnected. They can connect again.",
        error,
      });
    });
  });
  /** Repeats the lookup if the users changed in the meantime, because the key might have been revoked. */
  const lookUpUser = async (hash: string): ReturnType<Users["byKey"]> => {
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
      const user = await lookUpUser(hash);
      if (user && socket) trackSocket(hash, user.role, socket);
      return user && personOf(user, sees);
    },
    async addBrowser(name) {
      const key = newKey();
      return (await users.addKey(name, hashKey(key))) ? key : undefined;
    },
    close: unsubscribe,
  };
}
