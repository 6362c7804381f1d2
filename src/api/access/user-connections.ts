// Tracks the connections of named users: the user of each key, and the sockets that use the key.
//  G9  If a key is revoked or its user's role changes, the key's connections are closed immediately, in every process (A09).

import type { Socket } from "node:net";
import type { Users } from "../../stores/users.ts";
import { hashKey, newKey } from "./keys.ts";
import { type Person, personOf } from "./person.ts";

export interface UserConnections {
  /** Finds the user with this key, and remembers that the socket uses the key. Returns undefined if no user has the key. */
  admit(key: string, socket: Socket | undefined): Promise<Person | undefined>;
  /** Like `admit`, for a cookie. A cookie's value is not a token, so a server that gets the cookie cannot use it as one. */
  admitBrowser(cookie: string, socket: Socket | undefined): Promise<Person | undefined>;
  /** Creates a cookie for another browser of a user. Returns undefined if the user's access is revoked. */
  addBrowser(name: string, pageKey: string): Promise<string | undefined>;
  close(): void;
}

export interface UserConnectionsOptions {
  users: Users;
  /** The runs that users without the role `admin` see. */
  sees: Person["sees"];
  cut(sockets: ReadonlySet<Socket>): void;
  onProblem(problem: { message: string; error: unknown }): void;
}

/** The key of a cookie. No token contains a line break, because no header does. */
const browserKey = (cookie: string): string => `cookie\n${cookie}`;

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
  const admit: UserConnections["admit"] = async (key, socket) => {
    if (key === "") return undefined;
    const hash = hashKey(key);
    const user = await lookUpUser(hash);
    if (user && socket) trackSocket(hash, user.role, socket);
    return user && personOf(user, sees);
  };
  return {
    admit,
    admitBrowser: (cookie, socket) => admit(cookie && browserKey(cookie), socket),
    async addBrowser(name, pageKey) {
      const cookie = `${newKey()}-${hashKey(pageKey)}`;
      return (await users.addKey(name, hashKey(browserKey(cookie)))) ? cookie : undefined;
    },
    close: unsubscribe,
  };
}
