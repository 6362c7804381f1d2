// Doctor's check that only this user can read Cadre's own files, and that git ignores the folder that has them.

import { chmodSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "./machine.ts";

const OTHERS = 0o077;

/** Checks Cadre's folder of a project, or the user's own folder. A folder that does not exist is fine. */
export function privateFilesCheck(dir: string): Finding[] {
  const open = entriesOf(dir).filter(isOpenToOthers);
  if (open.length === 0) return [];
  const [first = ""] = open;
  const more = open.length > 1 ? ` and ${open.length - 1} more` : "";
  return [
    {
      state: "warn",
      name: "private",
      text: `other users of this machine can use ${first}${more}`,
      fix: `chmod -R go= ${dir}`,
      async mend() {
        for (const path of open) chmodSync(path, lstatSync(path).mode & 0o700);
        return `only you can use ${first}${more} now`;
      },
    },
  ];
}

/** Cadre puts a .gitignore into each folder that it makes. If the folder was copied or made by hand, the file is missing. */
export function gitignoreCheck(dir: string): Finding[] {
  const entries = entriesOf(dir);
  const file = join(dir, ".gitignore");
  if (entries.length === 0 || entries.includes(file)) return [];
  return [
    {
      state: "warn",
      name: "private",
      text: `${dir} has no .gitignore, so its journals and its token could be committed`,
      fix: `write a line with * into ${file}`,
      async mend() {
        writeFileSync(file, "*\n", { mode: 0o600, flag: "wx" });
        return `git ignores ${dir} now`;
      },
    },
  ];
}

/** The folder and the files directly in it. Empty if the folder is missing, a link, or not a folder. */
function entriesOf(dir: string): string[] {
  try {
    if (!lstatSync(dir).isDirectory()) return [];
    return [dir, ...readdirSync(dir).map((name) => join(dir, name))];
  } catch {
    return [];
  }
}

/** False for other users' files and for links: this user cannot change their mode. On Windows, modes mean nothing. */
function isOpenToOthers(path: string): boolean {
  const stat = lstatSync(path);
  return stat.uid === process.getuid?.() && !stat.isSymbolicLink() && (stat.mode & OTHERS) !== 0;
}
