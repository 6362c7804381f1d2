// Reads a SQLite file page by page without SQLite, so that a damaged page hides only its own rows.
// The format is described at https://sqlite.org/fileformat2.html.
//  1  Every length, page number and type that is read may be damaged. A row that does not fit is left out, and no page is read twice.
//  2  Pages that only the write-ahead log contains are read from there. A damaged frame of the log hides only itself.

import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

/** Cadre never changes SQLite's default size, so the size in a damaged header does not matter. */
export const PAGE_BYTES = 4096;

export interface Pages {
  count: number;
  /** Undefined if there is no such page. */
  read(page: number): Buffer | undefined;
  close(): void;
}

export type Value = null | number | string | Uint8Array;

/** A row of a table. `rowId` is undefined if the table is WITHOUT ROWID. */
export interface StoredRow {
  rowId: number | undefined;
  values: Value[];
}

export function openPages(path: string): Pages {
  const file = openSync(path, "r");
  const wal = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
  const log = readLog(wal);
  const stored = Math.ceil(fstatSync(file).size / PAGE_BYTES);
  return {
    count: Math.max(stored, ...log.frames.keys()),
    read(page) {
      const inLog = log.frames.get(page);
      if (inLog !== undefined) return wal.subarray(inLog, inLog + PAGE_BYTES);
      if (page < 1 || page > stored) return undefined;
      const bytes = Buffer.alloc(PAGE_BYTES);
      readSync(file, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
      return bytes;
    },
    close: () => closeSync(file),
  };
}

const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const FRAME_BYTES = FRAME_HEADER + PAGE_BYTES;
const BIG_ENDIAN_MAGIC = 0x377f0683;

/**
 * True if several commits follow a damaged place of the log. SQLite would silently drop them.
 * A power failure can leave one commit after a gap. Cadre had not reported that commit as stored.
 */
export function isLogDamaged(path: string): boolean {
  if (!existsSync(`${path}-wal`)) return false;
  return readLog(readFileSync(`${path}-wal`)).commitsAfterDamage > 1;
}

/** The offset of the latest committed version of each page. */
function readLog(wal: Buffer): { frames: Map<number, number>; commitsAfterDamage: number } {
  const frames = new Map<number, number>();
  const found = { frames, commitsAfterDamage: 0 };
  if (wal.length < LOG_HEADER + FRAME_BYTES) return found;
  const isBig = wal.readUInt32BE(0) === BIG_ENDIAN_MAGIC;
  const header = checksum([0, 0], wal.subarray(0, 24), isBig);
  let isDamaged = header[0] !== wal.readUInt32BE(24) || header[1] !== wal.readUInt32BE(28);
  // If the header is damaged, the first frame shows the salts of this generation of the log.
  const salts = wal.subarray(isDamaged ? LOG_HEADER + 8 : 16, (isDamaged ? LOG_HEADER + 8 : 16) + 8);
  let pending: [number, number][] = [];
  for (let at = LOG_HEADER; at + FRAME_BYTES <= wal.length; at += FRAME_BYTES) {
    // Each frame continues the checksum of the frame before it, as stored. So the frames after a damaged one can be verified.
    const before = at === LOG_HEADER ? 24 : at - FRAME_BYTES + 16;
    const seed: [number, number] = [wal.readUInt32BE(before), wal.readUInt32BE(before + 4)];
    const body = checksum(
      checksum(seed, wal.subarray(at, at + 8), isBig),
      wal.subarray(at + FRAME_HEADER, at + FRAME_BYTES),
      isBig,
    );
    const isIntact =
      wal.subarray(at + 8, at + 16).equals(salts) &&
      body[0] === wal.readUInt32BE(at + 16) &&
      body[1] === wal.readUInt32BE(at + 20);
    if (!isIntact) {
      isDamaged = true;
      continue;
    }
    pending.push([wal.readUInt32BE(at), at + FRAME_HEADER]);
    if (wal.readUInt32BE(at + 4) === 0) continue;
    for (const [page, offset] of pending) frames.set(page, offset);
    pending = [];
    if (isDamaged) found.commitsAfterDamage++;
  }
  return found;
}

function checksum(
  [first, second]: readonly [number, number],
  bytes: Buffer,
  isBig: boolean,
): [number, number] {
  let [a, b] = [first | 0, second | 0];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (isBig ? bytes.readInt32BE(at) : bytes.readInt32LE(at)) + b) | 0;
    b = (b + (isBig ? bytes.readInt32BE(at + 4) : bytes.readInt32LE(at + 4)) + a) | 0;
  }
  return [a >>> 0, b >>> 0];
}

/** Types of the pages of a b-tree: rows of tables, and rows of indexes and of tables WITHOUT ROWID. */
const INDEX_INNER = 2;
const TABLE_INNER = 5;
const INDEX_LEAF = 10;
const TABLE_LEAF = 13;

/** Yields the rows below a page. `seen` contains the pages that were read, so that a loop in damaged pages ends. */
export function* rowsBelow(pages: Pages, root: number, seen: Set<number>): Generator<StoredRow> {
  const open = [root];
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    if (seen.has(page)) continue;
    seen.add(page);
    const bytes = pages.read(page);
    if (!bytes) continue;
    const kind = bytes[headerOf(page)];
    const isInner = kind === TABLE_INNER || kind === INDEX_INNER;
    if (isInner) open.push(bytes.readUInt32BE(headerOf(page) + 8));
    for (const at of cellsOf(bytes, page, isInner)) {
      if (isInner) open.push(bytes.readUInt32BE(at));
      if (kind === TABLE_INNER) continue;
      const row = readRow(pages, bytes, { at: isInner ? at + 4 : at, isTable: kind === TABLE_LEAF });
      if (row) yield row;
    }
  }
}

/** Yields the rows of pages that cannot be found through a table, because a page above them is damaged. */
export function* strayRows(pages: Pages, seen: ReadonlySet<number>): Generator<StoredRow> {
  const free = freePages(pages);
  for (let page = 2; page <= pages.count; page++) {
    if (seen.has(page) || free.has(page) || pages.read(page)?.[0] !== TABLE_LEAF) continue;
    yield* rowsBelow(pages, page, new Set());
  }
}

/** Pages that the file no longer uses. They may still contain rows that were deleted. */
function freePages(pages: Pages): Set<number> {
  const free = new Set<number>();
  for (let trunk = pages.read(1)?.readUInt32BE(32) ?? 0; trunk > 0 && !free.has(trunk); ) {
    free.add(trunk);
    const bytes = pages.read(trunk);
    if (!bytes) break;
    const leaves = Math.min(bytes.readUInt32BE(4), PAGE_BYTES / 4 - 2);
    for (let leaf = 0; leaf < leaves; leaf++) free.add(bytes.readUInt32BE(8 + 4 * leaf));
    trunk = bytes.readUInt32BE(0);
  }
  return free;
}

const headerOf = (page: number): number => (page === 1 ? 100 : 0);

/** The offsets of the cells of a page. Offsets outside of the page are left out. */
function cellsOf(bytes: Buffer, page: number, isInner: boolean): number[] {
  const header = headerOf(page);
  if (!isInner && bytes[header] !== TABLE_LEAF && bytes[header] !== INDEX_LEAF) return [];
  const first = header + (isInner ? 12 : 8);
  const count = Math.min(bytes.readUInt16BE(header + 3), (PAGE_BYTES - first) / 2);
  const offsets: number[] = [];
  for (let cell = 0; cell < count; cell++) {
    const at = bytes.readUInt16BE(first + 2 * cell);
    if (at >= first && at <= PAGE_BYTES - 4) offsets.push(at);
  }
  return offsets;
}

/** Undefined if the row does not fit into its page or into the pages that continue it. */
function readRow(
  pages: Pages,
  bytes: Buffer,
  { at, isTable }: { at: number; isTable: boolean },
): StoredRow | undefined {
  try {
    const size = readNumber(bytes, at);
    const key = isTable ? readNumber(bytes, size.next) : undefined;
    const payload = readPayload(pages, bytes, { at: (key ?? size).next, size: size.value, isTable });
    return payload && { rowId: key?.value, values: readValues(payload) };
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

interface PayloadPlace {
  at: number;
  size: number;
  isTable: boolean;
}

function readPayload(pages: Pages, bytes: Buffer, { at, size, isTable }: PayloadPlace): Buffer | undefined {
  const most = isTable ? PAGE_BYTES - 35 : Math.floor(((PAGE_BYTES - 12) * 64) / 255) - 23;
  if (size <= most) return at + size <= PAGE_BYTES ? bytes.subarray(at, at + size) : undefined;
  if (size > pages.count * PAGE_BYTES) return undefined;
  const least = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23;
  const rest = least + ((size - least) % (PAGE_BYTES - 4));
  const local = rest <= most ? rest : least;
  const parts = [bytes.subarray(at, at + local)];
  let left = size - local;
  const seen = new Set<number>();
  for (let page = bytes.readUInt32BE(at + local); left > 0; ) {
    const more = seen.has(page) ? undefined : pages.read(page);
    if (!more) return undefined;
    seen.add(page);
    parts.push(more.subarray(4, 4 + Math.min(left, PAGE_BYTES - 4)));
    left -= PAGE_BYTES - 4;
    page = more.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

/** The sizes of integers by their type in a record. */
const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8];
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readValues(payload: Buffer): Value[] {
  const header = readNumber(payload, 0);
  const values: Value[] = [];
  let at = header.value;
  for (let next = header.next; next < header.value; ) {
    const type = readNumber(payload, next);
    next = type.next;
    const size = sizeOf(type.value);
    if (at + size > payload.length) throw new RangeError("The row is longer than its payload.");
    values.push(readValue(payload.subarray(at, at + size), type.value));
    at += size;
  }
  return values;
}

const sizeOf = (type: number): number =>
  type >= 12 ? Math.floor((type - 12) / 2) : type === 7 ? 8 : (INTEGER_BYTES[type] ?? 0);

function readValue(bytes: Buffer, type: number): Value {
  if (type === 0) return null;
  if (type === 6) return Number(bytes.readBigInt64BE());
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  if (type === 7) return bytes.readDoubleBE();
  if (type === 8 || type === 9) return type - 8;
  if (type < 12) throw new RangeError("There is no such type.");
  return type % 2 === 0 ? Uint8Array.from(bytes) : utf8.decode(bytes);
}

/** Reads a variable-length integer. */
function readNumber(bytes: Buffer, at: number): { value: number; next: number } {
  let value = 0n;
  for (let next = at; next < at + 9; next++) {
    const byte = bytes.readUInt8(next);
    if (next === at + 8)
      return { value: Number(BigInt.asIntN(64, (value << 8n) | BigInt(byte))), next: next + 1 };
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return { value: Number(value), next: next + 1 };
  }
  throw new RangeError("The number does not end.");
}
