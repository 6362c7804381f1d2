// Salvages a SQLite file with flipped bytes. The file has pages of every kind: interior pages, leaves, free pages and a log.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeClock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import {
  acquireRun,
  admit,
  approvalDecided,
  childSpawn,
  childStarted,
  contextAdded,
  expectInvariants,
  modelCallStarted,
  runEnded,
  sendSignal,
  toolProposed,
} from "../contract/kit.contract.ts";
import type { Store } from "../store.ts";
import { PAGE_BYTES } from "./pages.ts";
import { salvage } from "./salvage.ts";
import { openSqliteStore } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "cadre-salvage-"));
afterAll(() => rmSync(folder, { recursive: true }));
const open = (path: string): Store => openSqliteStore({ path, clock: fakeClock() });

/** An intact store that a killed process has left. Some pages are only in the write-ahead log. */
const original = join(folder, "original", "cadre.db");
let ids: string[] = [];
let inbox: unknown[] = [];
let storeId = "";
let journals: Map<string, unknown[]> = new Map();

beforeAll(async () => {
  const path = join(folder, "living", "cadre.db");
  const store = open(path);
  const definition = await store.blobs.put('{"a":"definition"}');
  for (let i = 0; i < 12; i++) await admit(store, `gone${i}`, { definition });
  for (let i = 0; i < 12; i++) {
    const driver = await acquireRun(store, `gone${i}`);
    await driver.append([modelCallStarted("m1"), contextAdded("x", "gone ".repeat(900)), runEnded()]);
  }
  for (let i = 0; i < 36; i++) {
    const id = `r${i}`;
    await admit(store, id, { definition });
    await sendSignal(store, id, contextAdded("a", `about ${id} `.repeat(i * 3)), contextAdded("b"));
    const driver = await acquireRun(store, id);
    if (i % 4 === 0) await driver.append([toolProposed("m1.0")]);
    if (i % 5 === 0) {
      const spawned = childSpawn(`${id}.c`, id);
      await driver.append([childStarted(`${id}.c`)], {
        spawn: { ...spawned, start: { ...spawned.start, rootRunId: id, definition } },
      });
    }
    if (i % 3 === 0) await driver.append([contextAdded("big", "x".repeat(20_000))]);
    if (i % 7 === 1) await driver.append([runEnded()]);
  }
  await sendSignal(store, "r4", approvalDecided("m1.0", "approve", "ann"));
  for (let i = 0; i < 8; i++) await store.runs.prune({ before: 1e15, root: `gone${i}` });
  const db = new DatabaseSync(path);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  for (let i = 0; i < 12; i++)
    await sendSignal(store, `r${i * 2}`, contextAdded("late", "late ".repeat(200)));
  mkdirSync(join(original, ".."));
  copyFileSync(path, original);
  copyFileSync(`${path}-wal`, `${original}-wal`);
  ({ ids, journals, inbox } = await contentOf(store));
  storeId = store.id;
  await store.close();
});

async function contentOf(store: Store) {
  const { runs } = await store.runs.list({ limit: 500 });
  const found = new Map<string, unknown[]>();
  for (const { id } of runs) found.set(id, await store.journal.read(id));
  return { ids: runs.map(({ id }) => id).sort(), journals: found, inbox: await store.inbox.openItems() };
}

/** Copies the intact store, and changes some bytes of its file or of its log. */
function damagedCopy(name: string, change: (bytes: Buffer) => void, end = ""): string {
  const path = join(folder, name, "cadre.db");
  mkdirSync(join(path, ".."));
  copyFileSync(original, path);
  copyFileSync(`${original}-wal`, `${path}-wal`);
  const bytes = readFileSync(`${path}${end}`);
  change(bytes);
  writeFileSync(`${path}${end}`, bytes);
  return path;
}

/** The log has a newer first page, which would hide a damaged header. */
function withoutLog(path: string): string {
  rmSync(`${path}-wal`);
  return path;
}

const flip =
  (at: number, bit = 3) =>
  (bytes: Buffer) => {
    bytes[at]! ^= 1 << bit;
  };

/** Every page of the file, grouped by kind. */
function pagesOf(kind: "interior" | "leaf" | "free"): number[] {
  const bytes = readFileSync(original);
  const kinds = { interior: [2, 5], leaf: [10, 13], free: [] as number[] }[kind];
  const free = new Set<number>();
  for (let trunk = bytes.readUInt32BE(32); trunk > 0; ) {
    free.add(trunk);
    const at = (trunk - 1) * PAGE_BYTES;
    for (let i = 0; i < bytes.readUInt32BE(at + 4); i++) free.add(bytes.readUInt32BE(at + 8 + 4 * i));
    trunk = bytes.readUInt32BE(at);
  }
  if (kind === "free") return [...free];
  const all = Array.from({ length: bytes.length / PAGE_BYTES - 1 }, (_, i) => i + 2);
  return all.filter((page) => !free.has(page) && kinds.includes(bytes[(page - 1) * PAGE_BYTES]!));
}

/** Opens the store, and reads all runs and everything that Cadre reads when it starts. Returns the reported damage. */
async function reported(path: string): Promise<string[]> {
  const told: string[] = [];
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CadreError)) throw error;
      told.push(`${error.code} ${error.message}`);
      return undefined;
    }
  };
  const store = await attempt(async () => open(path));
  if (!store) return told;
  await attempt(() => store.leases.due(Date.now(), 100));
  await attempt(() => store.leases.nextDue());
  await attempt(() => store.runs.orphans());
  await attempt(() => store.inbox.openItems());
  await attempt(() => store.inbox.grants());
  await attempt(() => store.usage.totals());
  const listed = (await attempt(() => store.runs.list({ limit: 500 })))?.runs ?? [];
  for (const { id, waitingOn } of listed) {
    if (waitingOn?.kind === "quarantine") told.push(`JOURNAL_CORRUPT ${waitingOn.detail}`);
    await attempt(() => store.journal.read(id));
  }
  await attempt(() => store.runs.start("new", startOf("new")));
  await store.close();
  return told;
}

const startOf = (id: string) =>
  ({ ...(journals.get("r1") as { payload: object }[])[0]!.payload, rootRunId: id }) as never;

/** Salvages the file. Checks that the new file works and contains every tree that is not reported as lost. */
async function expectSalvaged(path: string): Promise<ReturnType<typeof salvage>> {
  const result = salvage({ path, storeId, now: new Date("2026-01-01") });
  if (result.kept !== undefined) expect(existsSync(result.kept)).toBe(true);
  expect(readdirSync(join(path, "..")).filter((name) => name.includes("salvaged"))).toEqual([]);
  const store = open(path);
  try {
    expect(store.id).toBe(storeId);
    const found = await contentOf(store);
    const lost = ids.filter((id) => !found.journals.has(id)).map((id) => id.replace(".c", ""));
    const named = result.setAside.map(({ root }) => root);
    if (!named.includes(undefined)) expect(named).toEqual(expect.arrayContaining([...new Set(lost)]));
    for (const [id, events] of found.journals) {
      const known = journals.get(id);
      if (known) expect(events, id).toEqual(known.slice(0, events.length));
    }
    await expectInvariants(store, "pruned");
    await admit(store, "after", { definition: "d" });
    expect((await acquireRun(store, "after")).lease.epoch).toBe(1);
  } finally {
    await store.close();
  }
  return result;
}

describe("[F30] [36.14] a database with flipped bytes", () => {
  const HEADER = [0, 17, 18, 19, 20, 21, 23, 29, 35, 44, 56, 59, 63, 100, 103, 106];
  const flips: [string, () => string][] = [
    ...HEADER.map((at): [string, () => string] => [
      `header ${at}`,
      () => withoutLog(damagedCopy(`h${at}`, flip(at))),
    ]),
    ...[0, 1, 7].map((bit): [string, () => string] => [
      `format of the tables, bit ${bit}`,
      () => withoutLog(damagedCopy(`v${bit}`, flip(bit === 7 ? 60 : 63, bit))),
    ]),
    ...(["interior", "leaf", "free"] as const).flatMap((kind, k) =>
      Array.from({ length: kind === "leaf" ? 10 : 5 }, (_, i): [string, () => string] => [
        `${kind} page, flip ${i}`,
        () => {
          const pages = pagesOf(kind);
          const page = pages[(i * 7919 + k) % pages.length]!;
          return damagedCopy(`${kind}${i}`, flip((page - 1) * PAGE_BYTES + ((i * 613) % 4096), i % 8));
        },
      ]),
    ),
    ...Array.from({ length: 4 }, (_, i): [string, () => string] => [
      `log, flip ${i}`,
      () => damagedCopy(`log${i}`, flip([3, 17, 5_000, 30_000][i]!), "-wal"),
    ]),
  ];
  test.each(flips)(
    "the store opens, or a one-sentence error names the command that salvages it: %s",
    async (_, copy) => {
      const path = copy();
      for (const sentence of await reported(path))
        expect(sentence).toMatch(
          /cadre doctor --salvage|^JOURNAL_CORRUPT .*(set aside|affected|quarantined)/,
        );
      await expectSalvaged(path);
    },
  );
});

test("[36.14] if the interior page above a journal's rows is lost, salvaging still finds the rows", async () => {
  const bytes = readFileSync(original);
  const inner = pagesOf("interior").filter((page) => bytes[(page - 1) * PAGE_BYTES] === 5);
  expect(inner.length).toBeGreaterThan(0);
  for (const page of inner) {
    const path = damagedCopy(`inner${page}`, (all) =>
      all.fill(0, (page - 1) * PAGE_BYTES, page * PAGE_BYTES),
    );
    expect((await expectSalvaged(path)).setAside).toEqual([]);
  }
});

test("[36.14] salvaging an intact file loses nothing", () => {
  const path = damagedCopy("intact", () => {});
  const before = readFileSync(path);
  expect(salvage({ path, storeId, now: new Date() })).toMatchObject({ kept: undefined, setAside: [] });
  expect(readFileSync(path)).toEqual(before);
});

test("[36.14] salvaging keeps open items and intact trees; it names the damaged tree and writes its readable events to a file", async () => {
  const path = damagedCopy("payload", (bytes) => {
    const at = bytes.indexOf("about r31 about r31");
    bytes[at] = "X".charCodeAt(0);
  });
  const result = await expectSalvaged(path);
  expect(result.setAside).toEqual([
    { root: "r31", agent: "coder", reason: expect.stringContaining("damaged at event 2") },
  ]);
  expect(readFileSync(result.events!, "utf8")).toContain("Xbout r31");
  const store = open(path);
  expect(await store.inbox.openItems()).toEqual(inbox);
  expect((await store.runs.list({ limit: 500 })).runs).toHaveLength(ids.length);
  await store.close();
});

test("[36.14] if nothing is readable, salvaging leaves the files unchanged", () => {
  const path = damagedCopy("nothing", (bytes) => bytes.fill(0xa5));
  rmSync(`${path}-wal`);
  const before = readFileSync(path);
  expect(() => salvage({ path, storeId, now: new Date() })).toThrow(
    /No run of .* could be read. Nothing was changed/,
  );
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(join(path, ".."))).toEqual(["cadre.db"]);
});
