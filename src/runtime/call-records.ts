// Records on this machine when a command begins and what it answers. After a crash, people are asked only about unknown outcomes (P4).
//  1  A command begins only after its note is on disk. So a command without a note has not begun.
//  2  A note can be created only once. After a crash, the new process creates every missing note itself.
//     This keeps an old process that was only suspended from beginning the command.
//  3  Secrets in the answer are masked before the answer is written to the note. The note is written before the answer is used.
//  4  A note is deleted only after the result is in the journal.
//  5  The folder has an id, and the journal records the id when a call starts. In a folder with another id, notes prove nothing.

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CallRecords } from "../loop/parts.ts";
import type { ToolAnswer } from "../tools/tool.ts";

interface Note {
  /** True if the note was created after a crash, because there was none. */
  void?: true;
  answer?: ToolAnswer;
}

/** Creates the folder when it is first needed. If that fails, people decide about unknown outcomes. */
export function openCallRecords(dir: string): CallRecords {
  const folder = join(dir, "calls");
  let known: string | undefined;
  const pathOf = (key: string): string =>
    join(folder, `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`);
  return {
    get id() {
      known ??= folderId(folder);
      return known;
    },
    begin: (key) => createNote(folder, pathOf(key), {}),
    end(key, answer) {
      const path = pathOf(key);
      const temporary = `${path}.tmp`;
      writeFileSync(temporary, JSON.stringify({ answer } satisfies Note), { mode: 0o600 });
      renameSync(temporary, path);
    },
    async find(key) {
      try {
        await createNote(folder, pathOf(key), { void: true });
        return "not begun";
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") return undefined;
      }
      const note = await readNote(pathOf(key));
      return note?.void ? "not begun" : note?.answer;
    },
    forget: async (key) => rm(pathOf(key), { force: true }).catch(() => {}),
  };
}

function folderId(folder: string): string | undefined {
  const path = join(folder, "id");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, randomUUID(), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return undefined;
  }
  try {
    return readFileSync(path, "utf8") || undefined;
  } catch {
    return undefined;
  }
}

/** Fails with EEXIST if the note exists. */
async function createNote(folder: string, path: string, note: Note): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(JSON.stringify(note));
    await file.datasync();
  } finally {
    await file.close();
  }
  const handle = await open(folder, "r");
  try {
    // Some systems cannot flush a folder.
    await handle.sync().catch(() => {});
  } finally {
    await handle.close();
  }
}

/** Reads a note. Undefined if the note was cut off; in that case the command may have begun. */
async function readNote(path: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Note;
  } catch {
    return undefined;
  }
}
