// Users on Postgres. A change is announced in its own commit, so that other processes end the streams of a revoked user at once.

import { createListeners, MAX_BROWSERS, readUser, type Users } from "../users.ts";
import type { Feed } from "./feed.ts";
import type { Sql } from "./sql.ts";

interface UserParts {
  feed: Feed;
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  write<T>(apply: (batch: { sql: Sql; now: number }) => Promise<T>): Promise<T>;
}

export function postgresUsers({ feed, read, write }: UserParts): Users {
  const { add, tell } = createListeners();
  const changed = async (apply: (sql: Sql, now: number) => Promise<boolean>): Promise<boolean> => {
    const done = await write(async ({ sql, now }) => {
      const isChanged = await apply(sql, now);
      if (isChanged) await feed.announceUsers(sql);
      return isChanged;
    });
    if (done) tell();
    return done;
  };
  return {
    list: () =>
      read(async (sql) => (await sql.all(`SELECT * FROM users ORDER BY name COLLATE "C"`)).map(readUser)),
    add: ({ name, role, by, key }) =>
      changed(async (sql, now) => {
        const isNew = (await sql.run(ADD, name, role, now, by)) > 0;
        if (isNew) await sql.run(ADD_KEY, key, name, "token", now);
        return isNew;
      }),
    rotate: (name, key) =>
      changed(async (sql, now) => {
        if ((await sql.run(ROTATE, now, name)) === 0) return false;
        await sql.run("DELETE FROM user_keys WHERE name = $1", name);
        await sql.run(ADD_KEY, key, name, "token", now);
        return true;
      }),
    setRole: (name, role) => changed(async (sql) => (await sql.run(SET_ROLE, role, name)) > 0),
    revoke: (name) =>
      changed(async (sql, now) => {
        await sql.run("DELETE FROM user_keys WHERE name = $1", name);
        return (await sql.run(REVOKE, now, name)) > 0;
      }),
    addKey: (name, key) =>
      write(async ({ sql, now }) => {
        if (!(await sql.get("SELECT 1 FROM users WHERE name = $1 AND revoked_at IS NULL", name)))
          return false;
        await sql.run(ADD_KEY, key, name, "browser", now);
        await sql.run(DROP_OLDEST, name, MAX_BROWSERS);
        return true;
      }),
    byKey: (key) =>
      read(async (sql) => {
        const found = await sql.get(BY_KEY, key);
        return found && readUser(found);
      }),
    onChange(listener) {
      const [endHere, endElsewhere] = [add(listener), feed.onUsers(listener)];
      return () => {
        endHere();
        endElsewhere();
      };
    },
  };
}

const ADD = `INSERT INTO users (name, role, made_at, made_by, rotated_at) VALUES ($1, $2, $3, $4, $3) ON CONFLICT DO NOTHING`;
const ROTATE = "UPDATE users SET rotated_at = $1, revoked_at = NULL WHERE name = $2";
const SET_ROLE = "UPDATE users SET role = $1 WHERE name = $2 AND revoked_at IS NULL";
const REVOKE = "UPDATE users SET revoked_at = $1 WHERE name = $2 AND revoked_at IS NULL";
const ADD_KEY = "INSERT INTO user_keys (hash, name, kind, made_at) VALUES ($1, $2, $3, $4)";
const DROP_OLDEST = `DELETE FROM user_keys WHERE name = $1 AND kind = 'browser' AND n NOT IN (
  SELECT n FROM user_keys WHERE name = $1 AND kind = 'browser' ORDER BY n DESC LIMIT $2)`;
const BY_KEY = `SELECT users.* FROM user_keys JOIN users ON users.name = user_keys.name
  WHERE user_keys.hash = $1 AND users.revoked_at IS NULL`;
