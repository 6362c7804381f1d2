// Names that a file system takes for another name (A36). Rules and people judge a path by how it is spelled, so a file is
// used by the spelling that it has on disk, and none is made under a name that means something else on another system.

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.|$)/i;

/** Why no file should be made under this name; the rest of a sentence about its path. */
export function unportableName(name: string): string | undefined {
  if (/[. ]$/.test(name)) return "ends in a dot or a space, which other systems drop";
  if (/:[^:]*:?\$|:$/.test(name) || (process.platform === "win32" && name.includes(":")))
    return "names a stream of another file on Windows";
  if (DEVICE.test(name)) return "is the name of a device on Windows";
  if (/\p{Cc}/u.test(name)) return "holds a control character";
  if (name.normalize("NFC") !== name)
    return "is not in the composed form of Unicode, which other systems take for the same";
  return undefined;
}

/** The name on disk, where the file system found the entry under another spelling than it has. */
export async function spellingOnDisk(folder: string, name: string): Promise<string | undefined> {
  const found = await identity(join(folder, name));
  if (found === undefined) return undefined;
  const variants = [name.toUpperCase(), name.toLowerCase(), name.normalize("NFC"), name.normalize("NFD")];
  for (const variant of new Set(variants)) {
    if (variant === name || (await identity(join(folder, variant))) !== found) continue;
    // The same under two spellings: the file system folds them, or both are there as hard links.
    const names = await readdir(folder);
    return names.includes(name) ? undefined : names.find((other) => folded(other) === folded(name));
  }
  return undefined;
}

async function identity(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  return stats && `${stats.dev}:${stats.ino}`;
}

const folded = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[. ]+$/, "");
