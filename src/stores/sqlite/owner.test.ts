import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { type OwnerInfo, type Ownership, socketPath, takeOwnership } from "./owner.ts";

const root = mkdtempSync(join(tmpdir(), "cadre-owner-"));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;
const place = () => join(root, String(count++));
const self = { startedAt: 1_700_000_000_000, version: "0.1.0" };

/** Code of a process that becomes the owner of a folder on command. It stays the owner until another command, or until it dies. */
const CHILD = `
  import { takeOwnership } from ${JSON.stringify(new URL("./owner.ts", import.meta.url).href)};
  let ownership;
  process.on("message", async ({ take }) => {
    if (!take) {
      ownership?.release();
      process.send({ released: true });
      return;
    }
    const answer = await takeOwnership(take, { startedAt: 5, version: "child" });
    ownership = "owner" in answer ? undefined : answer;
    if (globalThis.gc) globalThis.gc();
    process.send("owner" in answer ? answer : { owns: true });
  });
  process.send({ ready: true });
`;

type Answer = { owns?: true; owner?: OwnerInfo };
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function birth(): Promise<ChildProcess> {
  const args = ["--expose-gc", "--input-type=module", "-e", CHILD];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  children.push(child);
  await once(child, "message");
  return child;
}

async function tell(child: ChildProcess, take?: string): Promise<Answer> {
  const answered = once(child, "message");
  child.send({ take });
  return (await answered)[0] as Answer;
}

test("[E1] [F32] when two processes race for a folder, one becomes its owner, and the other learns the owner's process id", async () => {
  const pair = await Promise.all([birth(), birth()]);
  for (let round = 0; round < 20; round++) {
    const folder = place();
    const answers = await Promise.all(pair.map((child) => tell(child, folder)));
    const winner = answers.findIndex((answer) => answer.owns);
    expect(answers.filter((answer) => answer.owns)).toHaveLength(1);
    expect(answers[1 - winner]?.owner).toEqual({
      pid: pair[winner]!.pid,
      socket: join(folder, "cadre.sock"),
      startedAt: 5,
      version: "child",
    });
    await Promise.all(pair.map((child) => tell(child)));
  }
});

test("[E1] [F32] after kill -9 the next process becomes the owner immediately, and a third process becomes a client of the new owner", async () => {
  const folder = place();
  const [first, second, third] = await Promise.all([birth(), birth(), birth()]);
  expect(await tell(first, folder)).toEqual({ owns: true });
  expect(await tell(second, folder)).toMatchObject({ owner: { pid: first.pid } });
  const died = once(first, "exit");
  first.kill("SIGKILL");
  await died;
  expect(readName(folder).pid).toBe(first.pid);
  expect(await tell(second, folder)).toEqual({ owns: true });
  expect(await tell(third, folder)).toMatchObject({ owner: { pid: second.pid } });
  expect(readName(folder).pid).toBe(second.pid);
});

test("[E1] a folder has only one owner even within a process, and a second request does not release the lock", async () => {
  const folder = place();
  const mine = (await takeOwnership(folder, self)) as Ownership;
  expect(await takeOwnership(folder, self)).toMatchObject({ owner: { pid: process.pid } });
  const other = await birth();
  expect(await tell(other, folder)).toMatchObject({ owner: { pid: process.pid } });
  mine.release();
  expect(await tell(other, folder)).toEqual({ owns: true });
  mine.release();
  expect(readName(folder).pid).toBe(other.pid);
});

test("[E1] a process can become the owner despite a stale or broken owner.json", async () => {
  const folder = place();
  ((await takeOwnership(folder, self)) as Ownership).release();
  for (const content of [JSON.stringify({ ...self, pid: process.pid, socket: "x" }), "{", ""]) {
    writeFileSync(join(folder, "owner.json"), content);
    const next = await takeOwnership(folder, self);
    expect(next).toHaveProperty("release");
    (next as Ownership).release();
  }
});

test("[E1] the name of a dead owner is ignored until the new owner has written its own name", async () => {
  const folder = place();
  const mine = (await takeOwnership(folder, self)) as Ownership;
  const name = readFileSync(join(folder, "owner.json"));
  const gone = await birth();
  const died = once(gone, "exit");
  gone.kill("SIGKILL");
  await died;
  writeFileSync(join(folder, "owner.json"), JSON.stringify({ ...self, pid: gone.pid, socket: "x" }));
  const asked = takeOwnership(folder, self);
  writeFileSync(join(folder, "owner.json"), name);
  expect(await asked).toMatchObject({ owner: { pid: process.pid } });
  mine.release();
});

test("[E1] if the process that owns the store has not written its name, the error says so", async () => {
  const folder = place();
  const mine = (await takeOwnership(folder, self)) as Ownership;
  rmSync(join(folder, "owner.json"));
  await expect(takeOwnership(folder, self)).rejects.toMatchObject({
    code: "STORE_OWNED",
    message: expect.stringContaining(`Another process owns ${folder} but does not say which`),
  });
  mine.release();
});

test("[E1] only the user can read the owner's files; after release, only owner.db and .gitignore remain", async () => {
  const folder = place();
  const mine = (await takeOwnership(folder, self)) as Ownership;
  for (const name of readdirSync(folder)) {
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  mine.release();
  expect(readdirSync(folder)).toEqual([".gitignore", "owner.db"]);
});

test("[E1] if a folder's path is too long for a socket, the folder always gets the same short socket path", async () => {
  const long = join(root, "a".repeat(60), "b".repeat(60));
  const short = socketPath(long);
  expect(short).toBe(socketPath(long));
  expect(short).not.toBe(socketPath(`${long}c`));
  expect(Buffer.byteLength(short)).toBeLessThanOrEqual(100);
  expect(statSync(join(short, "..")).mode & 0o777).toBe(0o700);
  const server = createServer().listen(short);
  await once(server, "listening");
  await new Promise((resolve) => server.close(resolve));
  expect(socketPath("/x/.cadre")).toBe("/x/.cadre/cadre.sock");
});

function readName(folder: string): OwnerInfo {
  return JSON.parse(readFileSync(join(folder, "owner.json"), "utf8")) as OwnerInfo;
}

test("[26.12] [F35] if the owner's name cannot be written, the error says why, and the lock is free again", async () => {
  const folder = place();
  const name = join(folder, `owner.json.${process.pid}`);
  mkdirSync(name, { recursive: true });
  await expect(takeOwnership(folder, self)).rejects.toMatchObject({
    code: "STORAGE_UNUSABLE",
    message: expect.stringContaining("it is a folder"),
  });
  rmSync(name, { recursive: true });
  const ownership = await takeOwnership(folder, self);
  expect(ownership).not.toHaveProperty("owner");
  (ownership as Ownership).release();
});
