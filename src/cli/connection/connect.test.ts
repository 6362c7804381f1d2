// Tests a command that owns the store but cannot open its socket.

import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
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

test("[A93] [30.10] another process can use the socket only with the key of this user", async () => {
  await using p = await project({ "agents/coder.md": agent("coder") });
  const connectWith = (env: Record<string, string>) =>
    connect({ folder: p.folder, io: { env }, drive: false });
  const owner = await connect({ folder: p.folder, io: { env: p.env }, drive: true });
  const settings = join(p.env["XDG_CONFIG_HOME"]!, "cadre");
  const elsewhere = join(p.folder, "elsewhere");
  cpSync(settings, join(elsewhere, "cadre"), { recursive: true });
  rmSync(join(elsewhere, "cadre", "socket.key"));
  const other = await connectWith(p.env);
  expect(other.isOwner).toBe(false);
  expect(await other.client.get("/api/approvals")).toEqual({ approvals: [] });
  await expect(connectWith({ ...p.env, XDG_CONFIG_HOME: elsewhere })).rejects.toThrow("socket.key");
  rmSync(join(settings, "socket.key"));
  await expect(other.client.get("/api/approvals")).rejects.toThrow("socket.key");
  await owner.close();
});

test("[A93] [30.10] without a key the socket is not served, but the store opens", async () => {
  await using p = await project({ "agents/coder.md": agent("coder"), config: "a file" });
  const env = { ...p.env, XDG_CONFIG_HOME: join(p.folder, "config"), CADRE_TRUST: "1" };
  const problems: string[] = [];
  const onProblem = ({ message }: { message: string }) => void problems.push(message);
  const owner = await connect({ folder: p.folder, io: { env }, drive: true, onProblem });
  expect(await owner.client.get("/api/approvals")).toEqual({ approvals: [] });
  expect(existsSync(join(p.folder, ".cadre/cadre.sock"))).toBe(false);
  expect(problems.join()).toContain("Other commands of Cadre cannot reach this process");
  await owner.close();
});
