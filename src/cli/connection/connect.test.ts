// A command's way to the store, where it is barred.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../cli.fixture.ts";
import { connect } from "./connect.ts";

test("[E1] who cannot listen leaves the store closed behind them: the next owner is alone with it", async () => {
  await using p = await project({ "agents/coder.md": agent("coder") });
  const own = () => connect({ folder: p.folder, io: { env: p.env }, drive: true });
  const isOpen = () => existsSync(join(p.folder, ".cadre/cadre.db-wal"));
  const first = await own();
  expect(isOpen()).toBe(true);
  await first.close();
  // A folder stands where the socket would be.
  mkdirSync(join(p.folder, ".cadre/cadre.sock/folder"), { recursive: true });
  await expect(own()).rejects.toThrow("cadre.sock");
  // SQLite takes its log away when the last one leaves.
  expect(isOpen()).toBe(false);
});
