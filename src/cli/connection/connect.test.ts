// Tests a command that owns the store but cannot open its socket.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";
import { connect } from "./connect.ts";

test("[E1] a process that cannot listen on its socket closes the store before another process opens it", async () => {
  await using p = await project({ "agents/coder.md": agent("coder") });
  const own = () => connect({ folder: p.folder, io: { env: p.env }, drive: true });
  const isOpen = () => existsSync(join(p.folder, ".cadre/cadre.db-wal"));
  const first = await own();
  expect(isOpen()).toBe(true);
  await first.close();
  // A folder at the socket's path prevents the process from listening.
  mkdirSync(join(p.folder, ".cadre/cadre.sock/folder"), { recursive: true });
  await expect(own()).rejects.toThrow("cadre.sock");
  // SQLite removes its log file when the last connection to the database is closed.
  expect(isOpen()).toBe(false);
});
