// The text of lines that a search has found, read anew through folders that are held: a search that was led outside by a
// swapped link has nothing to show for it (A35).

import { revealHiddenInName } from "../journal/visible.ts";
import { type OpenFolder, openFolder } from "./files/open-folder.ts";
import { openRegularFile } from "./files/open-regular-file.ts";

export interface FoundLine {
  path: string;
  /** From 1. */
  number: number;
  /** False for a line of the context around a match. */
  isMatch: boolean;
}

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_LINE = 500;

/** `path:number:text` as grep writes it; what is no regular file here any more is left out. */
export async function readFoundLines(root: string, found: readonly FoundLine[]): Promise<string[]> {
  const shown: string[] = [];
  const folders = Map.groupBy(found, ({ path }) => path.slice(0, path.lastIndexOf("/") + 1));
  for (const [parent, inside] of folders) {
    const names = parent.split("/").filter((name) => name !== "" && name !== ".");
    const folder = await openFolder(root, names).catch(() => undefined);
    await using _held = folder;
    for (const [path, lines] of Map.groupBy(inside, (line) => line.path)) {
      const text = folder && (await contentOf(folder, path.slice(parent.length)));
      if (text !== undefined) shown.push(...linesIn(text, revealHiddenInName(path), lines));
    }
  }
  return shown;
}

function linesIn(text: string, path: string, lines: readonly FoundLine[]): string[] {
  const all = text.split("\n");
  const hasContext = lines.some(({ isMatch }) => !isMatch);
  return lines.flatMap(({ number, isMatch }, index) => {
    const line = all[number - 1];
    if (line === undefined) return [];
    const sign = isMatch ? ":" : "-";
    const isApart = hasContext && index > 0 && number > lines[index - 1]!.number + 1;
    return [...(isApart ? ["--"] : []), `${path}${sign}${number}${sign}${clipped(line)}`];
  });
}

async function contentOf(folder: OpenFolder, name: string): Promise<string | undefined> {
  try {
    await using file = await openRegularFile(folder, name);
    const { size } = await file.stat();
    if (size > MAX_BYTES) return undefined;
    const content = Buffer.alloc(size);
    const { bytesRead } = await file.read(content, 0, content.length, 0);
    return decoded(content.subarray(0, bytesRead));
  } catch {
    return undefined;
  }
}

/** As ripgrep reads: by the byte order mark, else as UTF-8 with what does not fit replaced. */
function decoded(content: Buffer): string {
  const mark = content.length > 1 ? content.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return content.subarray(2).toString("utf16le");
  if (mark === 0xfeff)
    return content
      .subarray(2, content.length - (content.length % 2))
      .swap16()
      .toString("utf16le");
  return content.toString("utf8").replace(/^\ufeff/, "");
}

function clipped(line: string): string {
  const clean = line.endsWith("\r") ? line.slice(0, -1) : line;
  return clean.length > MAX_LINE
    ? `${clean.slice(0, MAX_LINE)}… (${clean.length - MAX_LINE} more characters)`
    : clean;
}
