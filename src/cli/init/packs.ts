// The packs of agents that come with Cadre. `cadre init` copies a pack as a whole.

import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { nearestWord } from "../../config/problem.ts";
import { capitalize } from "../../projections/words/statuses.ts";
import { usageError } from "../invocation.ts";

export interface Pack {
  name: string;
  /** The first heading of the pack's README. */
  about: string;
  files: string[];
}

export async function packsIn(folder: string): Promise<Pack[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const files = (await filesBelow(join(folder, name))).map((file) => `${name}/${file}`);
      const readme = await readFile(join(folder, name, "README.md"), "utf8").catch(() => "");
      const about = /^# (?:[\w-]+: )?(.+)$/m.exec(readme)?.[1] ?? "";
      return { name, about, files };
    }),
  );
}

/** The pack's files: sorted relative paths, separated by `/`. */
export async function filesBelow(folder: string): Promise<string[]> {
  const inside = await readdir(folder, { recursive: true, withFileTypes: true });
  return inside
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

export function findByName<T extends { name: string }>(kind: string, all: readonly T[], name: string): T {
  const found = all.find((one) => one.name === name.toLowerCase());
  if (found) return found;
  const names = all.map((one) => one.name);
  const meant = nearestWord(name, names);
  const hint = meant ? ` Did you mean ${meant}?` : "";
  throw usageError(
    `There is no ${kind} ${name}.${hint} ${capitalize(kind)}s: ${names.join(", ")}. Nothing was changed.`,
  );
}
