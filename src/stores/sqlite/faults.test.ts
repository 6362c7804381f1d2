// Faults of a SQLite file: a full disk, flipped bits, a truncated log, and a file that cannot be used.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { fakeClock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import {
  acquireRun,
  admit,
  agentThought,
  contextAdded,
  expectInvariants,
  modelCallStarted,
  sendSignal,
  startPayload,
  toolResult,
  toolStarted,
} from "../contract/kit.contract.ts";
import type { Store } from "../store.ts";
import { refuseOldSqlite, storageError } from "./open.ts";
import { MIGRATIONS } from "./schema.ts";
import { openSqliteStore } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "cadre-faults-"));
afterAll(() => rmSync(folder, { recursive: true }));
const place = (name: string) => join(folder, name, "cadre.db");
const open = (path: string): Store => openSqliteStore({ path, clock: fakeClock() });
const storeUrl = new URL("./store.ts", import.meta.url).href;
const clockUrl = new URL("../../clock.ts", import.meta.url).href;

/** Arguments with which Node runs this code as a module. */
const node = (code: string) => ["--input-type=module", "-e", code];

describe("committing", () => {
  test("[P1] all appends of one event-loop tick share a commit, and are acknowledged after it", async () => {
    const path = place("group");
    const store = open(path);
    await admit(store, "r1");
    const other = new DatabaseSync(path, { readOnly: true });
    const onDisk = other.prepare("SELECT count(*) AS count FROM events WHERE key = ?");
    const commits = commitsIn(`${path}-wal`);
    const seen = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        await sendSignal(store, "r1", contextAdded(`c${i}`));
        return onDisk.get(`context/c${i}`)?.["count"];
      }),
    );
    expect(seen).toEqual(seen.map(() => 1));
    expect(commitsIn(`${path}-wal`) - commits).toBe(1);
    other.close();
    await store.close();
  });

  test("[P9] a value that does not fit a column causes an error only for its own run", async () => {
    const store = open(place("unfit"));
    for (const runId of ["r1", "r2", "r3"]) await admit(store, runId);
    const driver = await acquireRun(store, "r2");
    const answers = await Promise.allSettled([
      sendSignal(store, "r1", contextAdded("a")),
      driver.append([modelCallStarted("m1"), agentThought("m1", { cost: Number.NaN })]),
      sendSignal(store, "r3", contextAdded("a")),
      sendSignal(store, "r1", contextAdded("b")),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(await store.journal.read("r2")).toHaveLength(1);
    expect((await driver.append([modelCallStarted("m1"), agentThought("m1")])).refused).toBeUndefined();
    await expectInvariants(store);
    await store.close();
  });

  test("if a listener throws, the commit still succeeds", async () => {
    const store = open(place("listener"));
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    store.journal.onCommit(() => {
      throw new Error("a bad day");
    });
    const told: number[] = [];
    store.journal.onCommit((events) => told.push(events.length));
    await Promise.all([admit(store, "r1"), admit(store, "r2")]);
    expect(told).toEqual([2]);
    expect((await warned).message).toContain("a bad day");
    await store.close();
  });

  test("only the user who owns the database can read its files", async () => {
    const path = place("modes");
    const store = open(path);
    await admit(store, "r1");
    const modes = [path, `${path}-wal`, `${path}-shm`].map((file) => statSync(file).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    await store.close();
    chmodSync(path, 0o644);
    await open(path).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

describe("a full disk", () => {
  test.skipIf(!canMount)(
    "[F29] a store on a full disk reports this, loses nothing, and continues once there is space",
    () => {
      const mount = join(folder, "full");
      mkdirSync(mount);
      const script = `mount -t tmpfs -o size=2m tmpfs ${mount} && exec "$0" --input-type=module -e "$1"`;
      const ran = spawnSync("unshare", ["-rm", "sh", "-c", script, process.execPath, fillTheDisk(mount)], {
        encoding: "utf8",
      });
      expect(ran.stderr).toBe("");
      const report = JSON.parse(ran.stdout);
      expect(report.codes).toEqual(["STORAGE_FULL"]);
      expect(report.message).toBe(
        `There is no space left for ${mount}/cadre.db. Nothing that was acknowledged is lost and no new step begins; free some space and the runs go on by themselves.`,
      );
      expect(report.acknowledged.length).toBeGreaterThan(3);
      expect(report.whileFull).toEqual(report.acknowledged);
      expect(report.afterwards).toEqual([...report.acknowledged, "context/after"]);
      expect(report.integrity).toBe("ok");
    },
  );
});

/** Appends until the disk is full, reads, frees some space and appends again. */
const fillTheDisk = (mount: string) => `
  import { rmSync, writeFileSync } from "node:fs";
  import { DatabaseSync } from "node:sqlite";
  import { openSqliteStore } from ${JSON.stringify(storeUrl)};
  import { fakeClock } from ${JSON.stringify(clockUrl)};
  const start = ${JSON.stringify(startPayload())};
  writeFileSync("${mount}/ballast", Buffer.alloc(700_000));
  const store = openSqliteStore({ path: "${mount}/cadre.db", clock: fakeClock() });
  await store.runs.start("r1", start);
  const keys = async () => (await store.journal.read("r1")).slice(1).map((event) => event.key);
  const say = (id, text) =>
    store.journal.append({ runId: "r1", after: 0, events: [{ type: "CONTEXT_ADDED", payload: { id, source: "person", text } }] });
  const acknowledged = [], errors = [];
  for (let i = 0; errors.length < 20; i++) {
    const ids = [0, 1].map((part) => i + "." + part);
    const answers = await Promise.allSettled(ids.map((id) => say(id, "x".repeat(30_000))));
    answers.forEach((answer, part) => answer.status === "fulfilled" ? acknowledged.push("context/" + ids[part]) : errors.push(answer.reason));
  }
  const whileFull = await keys();
  rmSync("${mount}/ballast");
  await say("after", "small");
  const afterwards = await keys();
  await store.close();
  const db = new DatabaseSync("${mount}/cadre.db");
  const integrity = db.prepare("PRAGMA integrity_check").get().integrity_check;
  const codes = [...new Set(errors.map((error) => error.code))];
  console.log(JSON.stringify({ acknowledged, codes, message: errors[0].message, whileFull, afterwards, integrity }));
`;

describe("a damaged journal", () => {
  const CHANGES: [string, string, number][] = [
    [
      "a changed bit of a payload",
      "UPDATE events SET payload = replace(payload, 'about b', 'about c') WHERE seq = 3 AND run = 1",
      3,
    ],
    [
      "a payload that is no JSON",
      "UPDATE events SET payload = substr(payload, 2) WHERE seq = 2 AND run = 1",
      2,
    ],
    ["a changed time", "UPDATE events SET ts = ts + 1 WHERE seq = 4 AND run = 1", 4],
    ["a changed key", "UPDATE events SET key = 'context/z' WHERE seq = 2 AND run = 1", 2],
    ["a missing event in the middle", "DELETE FROM events WHERE seq = 3 AND run = 1", 3],
    ["a missing last event", "DELETE FROM events WHERE seq = 4 AND run = 1", 4],
    ["a changed head", "UPDATE runs SET hash = x'00' WHERE n = 1", 4],
  ];

  test.each(CHANGES)(
    "[F30] [P9] the damage is found and reported, and the other run continues: %s",
    async (name, sql, seq) => {
      const path = place(`changed ${name}`);
      const store = open(path);
      for (const runId of ["r1", "r2"]) {
        await admit(store, runId);
        await sendSignal(store, runId, contextAdded("a"), contextAdded("b"), contextAdded("c"));
      }
      change(path, sql);
      const failure = await store.journal.read("r1").catch((error: unknown) => error as CadreError);
      expect(failure).toMatchObject({ code: "JOURNAL_CORRUPT", details: { runId: "r1", seq } });
      expect((failure as CadreError).message).toContain(`r1 is damaged at event ${seq}`);
      await expect(pages(store, "r1", 2)).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
      expect(await store.journal.read("r2")).toHaveLength(4);
      const driver = await acquireRun(store, "r2");
      expect((await driver.append([toolStarted("m1.0")])).refused).toBeUndefined();
      await store.close();
    },
  );

  test("[F30] a change or deletion of a large value is detected", async () => {
    const path = place("blob");
    const store = open(path);
    await admit(store, "r1");
    const driver = await acquireRun(store, "r1");
    await driver.append([toolStarted("m1.0"), toolResult("m1.0", "x".repeat(2_100_000))]);
    const name = await store.blobs.put("a definition");
    change(
      path,
      "UPDATE blobs SET text = replace(text, 'xxx', 'xyx'); UPDATE blobs SET text = replace(text, 'def', 'dof')",
    );
    await expect(store.journal.read("r1")).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
    await expect(store.blobs.get(name)).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
    change(path, "DELETE FROM blobs");
    await expect(store.journal.read("r1")).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
    await store.close();
  });
});

describe("a truncated write-ahead log", () => {
  test("[F31] a store whose log was truncated opens with every acknowledged event before the cut", async () => {
    const path = place("cut");
    const store = open(path);
    await admit(store, "r1");
    const wal = `${path}-wal`;
    const acknowledged: number[] = [];
    for (let i = 0; i < 40; i++) {
      await sendSignal(store, "r1", contextAdded(`c${i}`, "x".repeat(1 + ((i * 997) % 5000))));
      acknowledged.push(statSync(wal).size);
    }
    const sizes = [acknowledged[5]!, acknowledged[11]! - 1, acknowledged[17]! + 1, acknowledged[23]! + 2000];
    const random = Array.from(
      { length: 8 },
      () => acknowledged[0]! + Math.floor(Math.random() * (acknowledged[39]! - acknowledged[0]!)),
    );
    for (const [index, size] of [...sizes, ...random].entries()) {
      const copy = place(`cut ${index}`);
      mkdirSync(join(copy, ".."));
      execFileSync("cp", [path, copy]);
      execFileSync("cp", [wal, `${copy}-wal`]);
      truncateSync(`${copy}-wal`, size);
      const reopened = open(copy);
      const kept = (await reopened.journal.read("r1")).length - 1;
      expect(kept, `cut at ${size}`).toBe(acknowledged.filter((end) => end <= size).length);
      await sendSignal(reopened, "r1", contextAdded("after"));
      await expectInvariants(reopened);
      await reopened.close();
    }
    await store.close();
  });
});

describe("an unusable database file", () => {
  test("[F35] a file that is not a database is refused with an explanation and left unchanged", () => {
    const path = place("garbage");
    mkdirSync(join(path, ".."));
    for (const content of [
      "not a database, but long enough to look like one".repeat(200),
      `SQLite format 3\0${"\x01".repeat(5000)}`,
    ]) {
      writeFileSync(path, content);
      expect(failureOf(() => open(path))).toMatchObject({
        code: "STORAGE_UNUSABLE",
        message: expect.stringMatching(
          /cadre\.db is not an intact SQLite file \(.+\)\. It was left as it is; restore a copy/,
        ),
      });
      expect(readFileSync(path, "utf8")).toBe(content);
    }
  });

  test("[F35] [F39] the file of a newer Cadre version is refused and left unchanged", async () => {
    const path = place("newer");
    await open(path).close();
    change(path, "PRAGMA user_version = 99");
    expect(failureOf(() => open(path))).toMatchObject({
      code: "JOURNAL_NEWER",
      message: expect.stringContaining("written by a newer version of Cadre (format 99"),
    });
    change(path, `PRAGMA user_version = ${MIGRATIONS.length}`);
    await open(path).close();
  });

  test("[F35] an outdated version of SQLite is refused", () => {
    for (const version of ["3.51.2", "3.50.9", "2.99.99", "0"]) {
      expect(failureOf(() => refuseOldSqlite(version)).message).toBe(
        `This Node has SQLite ${version}; Cadre needs 3.51.3 or later to keep its promises. Use Node 24.15 or later.`,
      );
    }
    for (const version of ["3.51.3", "3.51.10", "3.60.0", "4.0.0"]) refuseOldSqlite(version);
  });

  test("[F35] a folder or a file without write permission is refused", async () => {
    const path = place("foreign");
    await open(path).close();
    chmodSync(folder, 0o755);
    chmodSync(join(path, ".."), 0o555);
    chmodSync(path, 0o444);
    for (const target of [path, join(path, "..", "new.db"), join(path, "..", "below", "new.db")]) {
      const code = `
        import { openSqliteStore } from ${JSON.stringify(storeUrl)};
        import { fakeClock } from ${JSON.stringify(clockUrl)};
        // The process gives up its root rights only after its imports, because without them it could not load modules from a private folder.
        if (process.getuid?.() === 0) { process.setgid(65534); process.setuid(65534); }
        try { openSqliteStore({ path: ${JSON.stringify(target)}, clock: fakeClock() }); console.log("opened"); }
        catch (error) { console.log(error.code + " " + error.message); }`;
      const ran = spawnSync(process.execPath, node(code), { encoding: "utf8" });
      expect(ran.stdout + ran.stderr).toMatch(
        /^STORAGE_UNUSABLE .*\.db cannot be written \(.+\)\. Nothing was changed; make the folder writable for this user, or set CADRE_DIR to another one\.\n$/,
      );
    }
    chmodSync(join(path, ".."), 0o755);
  });
});

/** A WAL frame is the last of a commit if its header contains a database size. */
function commitsIn(wal: string): number {
  const bytes = execFileSync("cat", [wal], { maxBuffer: 1 << 28 });
  const page = bytes.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + 24 + page <= bytes.length; at += 24 + page) {
    if (bytes.readUInt32BE(at + 4) !== 0) commits++;
  }
  return commits;
}

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

async function pages(store: Store, runId: string, size: number): Promise<void> {
  for (let after = 0; ; after += size) {
    if ((await store.journal.read(runId, after, size)).length < size) return;
  }
}

function failureOf(act: () => unknown): CadreError {
  try {
    act();
  } catch (error) {
    if (error instanceof CadreError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

test("[F35] a file with damage in its middle can be opened, but reading the damaged part fails", async () => {
  const path = place("middle");
  const store = open(path);
  await admit(store, "r1");
  await store.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, 4096, 4096 * 20));
  const damaged = {
    code: "STORAGE_UNUSABLE",
    message: expect.stringContaining("is not an intact SQLite file"),
  };
  const read = async () => {
    const opened = open(path);
    await opened.runs.list({});
    await opened.journal.read("r1" as never);
  };
  await expect(read()).rejects.toMatchObject(damaged);
});

test("[F35] the error for each failure of the file says which data is safe and what to do", () => {
  const sentences: [{ errcode?: number; code?: string }, string][] = [
    [{ errcode: 5 }, "held by another program. What was recorded is safe"],
    [{ errcode: 10 }, "Nothing that was acknowledged is undone; see that its disk"],
    [
      { code: "EEXIST" },
      "cannot be made (a file with that name exists). Nothing was changed; move that file away",
    ],
    [
      { code: "EACCES" },
      "cannot be written (permission denied). Nothing was changed; make the folder writable",
    ],
  ];
  for (const [said, sentence] of sentences) {
    const error = Object.assign(new Error("raw words"), said);
    const failure = storageError(error, "/x/cadre.db");
    expect(failure).toMatchObject({ code: "STORAGE_UNUSABLE", message: expect.stringContaining(sentence) });
    expect(failure.message).toMatch(/^\/x\/cadre\.db /);
  }
});

test("[F29] if the disk is already full when the store is opened, the error says so", () => {
  const said = Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 4874 });
  expect(storageError(said, "cadre.db")).toMatchObject({ code: "STORAGE_FULL" });
});
