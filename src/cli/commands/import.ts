// `cadre import FILE`: takes a tree in that `cadre export --format cadre` has moved out of another store. It is checked
// whole before anything is written, and comes in once. Whoever has the store takes it in, and goes on with it.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CadreClient } from "../../api/client.ts";
import { CadreError, reasonOf } from "../../errors.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { refuseLeftOut } from "../left-out.ts";
import { fitLines } from "../view/fit.ts";
import { count } from "../view/format.ts";
import { missingThere } from "../view/missing-there.ts";
import { jsonLine } from "../view/plain.ts";
import { neededLines } from "../view/summary.ts";
import { whoGoesOn } from "../who-goes-on.ts";

export async function importRun(invocation: Invocation, path: string): Promise<number> {
  const { folder, io, json, screen, typed } = invocation;
  refuseLeftOut(invocation, ["store"], "Nothing was imported.");
  const text = await read(resolve(io.cwd, path));
  const { next, ...taken } = await withClient({ folder, io, makes: true }, async (client) => {
    const came = await client.importTree(text);
    return { ...came, next: await nextFor(client, came.runId, invocation) };
  });
  if (json) {
    screen.line(jsonLine(taken));
    return EXIT.done;
  }
  const { runId, existed, runs, status, missing } = taken;
  if (existed) screen.line(`${runId} came in before; nothing was changed.`);
  else {
    const { who, needed } = next;
    screen.line(
      `Imported ${runId} (${count(runs, "run")}, ${status})${who}. See it: ${typed(`show ${runId}`)}`,
    );
    for (const line of fitLines(needed, screen)) screen.line(line);
  }
  for (const place of missing) io.stderr.write(`cadre: ${missingThere(place, "here")}\n`);
  return EXIT.done;
}

interface Next {
  who: string;
  /** What must be answered before it goes on, with the commands. */
  needed: string[];
}

async function nextFor(client: CadreClient, runId: string, { screen, typed }: Invocation): Promise<Next> {
  const [{ endedAt }, open] = await Promise.all([client.run(runId), client.approvals({ runId })]);
  const needed = neededLines(open, typed, screen.paint);
  if (endedAt !== undefined) return { who: "", needed };
  const who = await whoGoesOn(client, typed);
  return { who: `; ${who}${open.length === 0 ? "" : " once you have answered"}`, needed };
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CadreError("USAGE", `${file} cannot be read (${reasonOf(error)}). Nothing was imported.`);
  }
}
