// The users of a store in its tables. The SQL is the same on both stores.

import type { Columns } from "./columns.ts";
import type { CommonSql, TableAccess } from "./common-queries.ts";
import { ask, type Steps } from "./transaction/transaction.ts";
import type { Role, User, Users } from "./users.ts";

/** Maximum number of browsers in which a user can be signed in. */
const MAX_BROWSERS = 20;

/** Tells the other processes on the same store about a change. Absent if this is the only process. */
export interface UserFeed {
  /** Announces a change within the commit that makes it. */
  announceUsers(sql: CommonSql): Promise<void>;
  onUsers(listener: () => void): () => void;
}

export function createUsers({ read, write }: TableAccess, feed?: UserFeed): Users {
  const listeners = new Set<() => void>();
  const change = async (work: (sql: CommonSql, now: number) => Steps<boolean>): Promise<boolean> => {
    const isChanged = await write(function* (sql, { now }) {
      const done = yield* work(sql, now);
      if (done && feed) yield* ask(feed.announceUsers(sql));
      return done;
    });
    if (isChanged) for (const listener of listeners) listener();
    return isChanged;
  };
  return {
    list: () =>
      read(function* (sql) {
        return (yield* ask(sql.all("SELECT * FROM users ORDER BY name"))).map(readUser);
      }),
    add: ({ name, role, by, key }) =>
      change(function* (sql, now) {
        const isNew = (yield* ask(sql.run(ADD, name, role, now, by))) > 0;
        if (isNew) yield* ask(sql.run(ADD_KEY, key, name, "token", now));
        return isNew;
      }),
    rotate: (name, key) =>
      change(function* (sql, now) {
        if ((yield* ask(sql.run(ROTATE, now, name))) === 0) return false;
        yield* ask(sql.run(DELETE_KEYS, name));
        yield* ask(sql.run(ADD_KEY, key, name, "token", now));
        return true;
      }),
    setRole: (name, role) =>
      change(function* (sql) {
        return (yield* ask(sql.run(SET_ROLE, role, name))) > 0;
      }),
    revoke: (name) =>
      change(function* (sql, now) {
        yield* ask(sql.run(DELETE_KEYS, name));
        return (yield* ask(sql.run(REVOKE, now, name))) > 0;
      }),
    addKey: (name, key) =>
      write(function* (sql, { now }) {
        if (!(yield* ask(sql.get(WITH_ACCESS, name)))) return false;
        yield* ask(sql.run(ADD_KEY, key, name, "browser", now));
        yield* ask(sql.run(DROP_OLDEST, name, MAX_BROWSERS));
        return true;
      }),
    byKey: (key) =>
      read(function* (sql) {
        const columns = yield* ask(sql.get(BY_KEY, key));
        return columns && readUser(columns);
      }),
    onChange(listener) {
      listeners.add(listener);
      const stopFeed = feed?.onUsers(listener);
      return () => {
        listeners.delete(listener);
        stopFeed?.();
      };
    },
  };
}

const readUser = (columns: Columns): User => ({
  name: columns["name"] as string,
  role: columns["role"] as Role,
  madeAt: columns["made_at"] as number,
  madeBy: columns["made_by"] as string,
  rotatedAt: columns["rotated_at"] as number,
  revokedAt: (columns["revoked_at"] ?? undefined) as number | undefined,
});

const ADD = `INSERT INTO users (name, role, made_at, made_by, rotated_at) VALUES ($1, $2, $3, $4, $3) ON CONFLICT DO NOTHING`;
const ROTATE = "UPDATE users SET rotated_at = $1, revoked_at = NULL WHERE name = $2";
const SET_ROLE = "UPDATE users SET role = $1 WHERE name = $2 AND revoked_at IS NULL";
const REVOKE = "UPDATE users SET revoked_at = $1 WHERE name = $2 AND revoked_at IS NULL";
const WITH_ACCESS = "SELECT 1 FROM users WHERE name = $1 AND revoked_at IS NULL";
const ADD_KEY = "INSERT INTO user_keys (hash, name, kind, made_at) VALUES ($1, $2, $3, $4)";
const DELETE_KEYS = "DELETE FROM user_keys WHERE name = $1";
const DROP_OLDEST = `DELETE FROM user_keys WHERE name = $1 AND kind = 'browser' AND n NOT IN (
  SELECT n FROM user_keys WHERE name = $1 AND kind = 'browser' ORDER BY n DESC LIMIT $2)`;
const BY_KEY = `SELECT users.* FROM user_keys JOIN users ON users.name = user_keys.name
  WHERE user_keys.hash = $1 AND users.revoked_at IS NULL`;
