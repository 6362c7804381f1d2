// Keeps the bytes of a workspace's files on this machine while a command runs that might change any of them.
// Afterwards only the files that the command changed go into the store. The others would only waste space there.
// The cache proves nothing by itself: bytes are used only if their hash is the expected one.

import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { blobNameOf } from "./file-version.ts";

export interface FileCache {
  keep(blob: string, bytes: Uint8Array): Promise<void>;
  read(blob: string): Promise<Buffer | undefined>;
  /** The time of the file system's clock, in nanoseconds. It differs from the clock of the process by a few milliseconds. */
  time(): Promise<bigint>;
  /** Removes every file that is not in this list, if there are many. */
  tidy(needed: ReadonlySet<string>): Promise<void>;
}

const SPARE_FILES = 1_000;

/** Each workspace has a folder of its own, so that one workspace never removes the files of another. */
export function openFileCache(dir: string, workspace: string): FileCache {
  const name = createHash("sha256").update(workspace).digest("hex").slice(0, 32);
  const folder = join(dir, "file-cache", name);
  let known: Promise<Set<string>> | undefined;
  const list = (): Promise<Set<string>> => {
    known ??= mkdir(folder, { recursive: true, mode: 0o700 })
      .then(() => readdir(folder))
      .then((names) => new Set(names));
    return known;
  };
  return {
    async keep(blob, bytes) {
      const names = await list();
      if (names.has(blob)) return;
      const temporary = join(folder, `${blob}.${randomUUID().slice(0, 8)}.tmp`);
      await writeFile(temporary, bytes, { mode: 0o600 });
      await rename(temporary, join(folder, blob));
      names.add(blob);
    },
    async read(blob) {
      const bytes = await readFile(join(folder, blob)).catch(() => undefined);
      return bytes && blobNameOf(bytes) === blob ? bytes : undefined;
    },
    async time() {
      await list();
      const path = join(folder, `${randomUUID().slice(0, 8)}.time`);
      await writeFile(path, "");
      const { ctimeNs } = await stat(path, { bigint: true });
      await rm(path, { force: true });
      return ctimeNs;
    },
    async tidy(needed) {
      const names = await list();
      if (names.size <= needed.size + SPARE_FILES) return;
      for (const name of names) {
        if (needed.has(name)) continue;
        names.delete(name);
        await rm(join(folder, name), { force: true });
      }
    },
  };
}
