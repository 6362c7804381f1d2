// Reads some lines of a text file that is too large to be held in memory. The whole file is passed through once, to count its lines.

import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { openFolder, openRegularFile } from "./open-folder.ts";
import { MAX_SEARCHED_FILE } from "./text-file.ts";
import type { WorkspacePath } from "./workspace-path.ts";

const CHUNK = 1024 * 1024;
/** Maximum size of the lines that are kept. */
const MAX_KEPT = 1024 * 1024;
const LINE_END = 0x0a;

interface SomeLines {
  /** As many lines from `offset` on as fit. */
  lines: string[];
  /** Number of lines in the whole file. */
  total: number;
}

/** Undefined if the file is too large, is not UTF-8 text, or cannot be read. */
export async function readLines(
  { root, names }: WorkspacePath,
  { offset, limit }: { offset: number; limit: number },
  signal: AbortSignal,
): Promise<SomeLines | undefined> {
  try {
    await using folder = await openFolder(root, names.slice(0, -1));
    await using file = await openRegularFile(folder, names.at(-1) ?? ".");
    const { size } = await file.stat();
    if (size > MAX_SEARCHED_FILE) return undefined;
    const { kept, total } = await passThrough(file, { offset, limit, size }, signal);
    // The limit might have cut the last line, so that line is left out.
    const isCut = kept.length >= MAX_KEPT;
    const text = isCut ? kept.subarray(0, kept.lastIndexOf(LINE_END) + 1) : kept;
    if ((isCut && text.length === 0) || text.includes(0) || !isUtf8(text)) return undefined;
    const lines = text.toString("utf8").split("\n");
    if (lines.at(-1) === "") lines.pop();
    return { lines: lines.slice(0, limit), total };
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

/** Reads no further than `size`, because the file might grow as fast as it is read. */
async function passThrough(
  file: FileHandle,
  { offset, limit, size }: { offset: number; limit: number; size: number },
  signal: AbortSignal,
): Promise<{ kept: Buffer; total: number }> {
  const chunk = Buffer.alloc(CHUNK);
  const kept: Buffer[] = [];
  const end = offset + limit;
  let room = MAX_KEPT;
  let line = 1;
  let isOpenLine = false;
  for (let position = 0; position < size; ) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - position), position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const read = chunk.subarray(0, bytesRead);
    let from = line >= offset && line < end ? 0 : bytesRead;
    let to = bytesRead;
    for (let at = read.indexOf(LINE_END); at >= 0; at = read.indexOf(LINE_END, at + 1)) {
      line++;
      if (line === offset) from = at + 1;
      if (line === end) to = at;
    }
    isOpenLine = read.at(-1) !== LINE_END;
    const wanted = Buffer.from(read.subarray(from, Math.min(to, from + room)));
    kept.push(wanted);
    room -= wanted.length;
  }
  return { kept: Buffer.concat(kept), total: isOpenLine ? line : line - 1 };
}
