// `cadre import FILE`: takes a tree in that `cadre export --format cadre` has moved out of another store. It is checked
// whole before anything is written, and comes in once.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { CadreError, reasonOf } from "../../errors.ts";
import { moveIn } from "../../stores/carry.ts";
import type { Store } from "../../stores/store.ts";
import { EXIT, type Invocation } from "../io.ts";
import { count } from "../view/format.ts";
import { jsonLine } from "../view/plain.ts";
import { withStore } from "../with-store.ts";

export async function importRun(invocation: Invocation, path: string): Promise<number> {
  const { io, json, screen, typed } = invocation;
  const text = await read(resolve(io.cwd, path));
  const refusal = "Nothing was imported; stop it, import, and start it again.";
  const taken = await withStore(invocation, refusal, async ({ store }) => {
    const { root, existed, runs } = await moveIn(text, store);
    const row = await store.run(root);
    return { runId: root, existed, runs, status: row?.status, missing: await missingFolders(store, root) };
  });
  if (json) {
    screen.line(jsonLine(taken));
    return EXIT.done;
  }
  const { runId, existed, runs, status, missing } = taken;
  if (existed) screen.line(`${runId} came in before; nothing was changed.`);
  else screen.line(`Imported ${runId} (${count(runs, "run")}, ${status}). See it: ${typed(`show ${runId}`)}`);
  for (const folder of missing)
    io.stderr.write(`cadre: ${folder}, where it works, is not here: make it there before the run goes on.\n`);
  return EXIT.done;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CadreError("USAGE", `${file} cannot be read (${reasonOf(error)}). Nothing was imported.`);
  }
}

/** A journal says where its run works, and cannot be changed. */
async function missingFolders(store: Store, root: string): Promise<string[]> {
  const { runs } = await store.runs({ root, limit: 500 });
  const folders = runs.filter(({ endedAt }) => endedAt === undefined).map(({ workspace }) => workspace);
  return [...new Set(folders)].filter((folder) => !existsSync(folder));
}
