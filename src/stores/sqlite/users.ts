// Users on one SQLite file. One process owns it, so all listeners are in this process.

import { createListeners, MAX_BROWSERS, readUser, type Users } from "../users.ts";
import type { Sql } from "./sql.ts";

interface UserParts {
  sql: Sql;
  write<T>(apply: (batch: { now: number }) => T): Promise<T>;
}

export function sqliteUsers({ sql, write }: UserParts): Users {
  const { add: onChange, tell } = createListeners();
  const changed = async (apply: (now: number) => boolean): Promise<boolean> => {
    const done = await write(({ now }) => apply(now));
    if (done) tell();
    return done;
  };
  return {
    list: async () => sql.all("SELECT * FROM users ORDER BY name").map(readUser),
    add: ({ name, role, by, key }) =>
      changed((now) => {
        const isNew = sql.run(ADD, name, role, now, by, now) > 0;
        if (isNew) sql.run(ADD_KEY, key, name, "token", now);
        return isNew;
      }),
    rotate: (name, key) =>
      changed((now) => {
        if (sql.run("UPDATE users SET rotated_at = ?, revoked_at = NULL WHERE name = ?", now, name) === 0)
          return false;
        sql.run("DELETE FROM user_keys WHERE name = ?", name);
        sql.run(ADD_KEY, key, name, "token", now);
        return true;
      }),
    setRole: (name, role) =>
      changed(
        () => sql.run("UPDATE users SET role = ? WHERE name = ? AND revoked_at IS NULL", role, name) > 0,
      ),
    revoke: (name) =>
      changed((now) => {
        sql.run("DELETE FROM user_keys WHERE name = ?", name);
        return (
          sql.run("UPDATE users SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL", now, name) > 0
        );
      }),
    addKey: (name, key) =>
      write(({ now }) => {
        if (!sql.get("SELECT 1 FROM users WHERE name = ? AND revoked_at IS NULL", name)) return false;
        sql.run(ADD_KEY, key, name, "browser", now);
        sql.run(DROP_OLDEST, name, name, MAX_BROWSERS);
        return true;
      }),
    async byKey(key) {
      const found = sql.get(BY_KEY, key);
      return found && readUser(found);
    },
    onChange,
  };
}

const ADD = `INSERT INTO users (name, role, made_at, made_by, rotated_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const ADD_KEY = "INSERT INTO user_keys (hash, name, kind, made_at) VALUES (?, ?, ?, ?)";
const DROP_OLDEST = `DELETE FROM user_keys WHERE name = ? AND kind = 'browser' AND n NOT IN (
  SELECT n FROM user_keys WHERE name = ? AND kind = 'browser' ORDER BY n DESC LIMIT ?)`;
const BY_KEY = `SELECT users.* FROM user_keys JOIN users ON users.name = user_keys.name
  WHERE user_keys.hash = ? AND users.revoked_at IS NULL`;
