// `cadre import FILE`: takes a tree in that `cadre export --format cadre` has moved out of another store. It is checked
// whole before anything is written, and comes in once. Whoever has the store takes it in, and goes on with it.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { CadreError, reasonOf } from "../../errors.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { refuseLeftOut } from "../left-out.ts";
import { count } from "../view/format.ts";
import { missingThere } from "../view/missing-there.ts";
import { jsonLine } from "../view/plain.ts";
import { whoGoesOn } from "../who-goes-on.ts";

export async function importRun(invocation: Invocation, path: string): Promise<number> {
  const { folder, io, json, screen, typed } = invocation;
  refuseLeftOut(invocation, ["store"], "Nothing was imported.");
  const text = await read(resolve(io.cwd, path));
  const { who, ...taken } = await withClient({ folder, io, makes: true }, async (client) => {
    const came = await client.importTree(text);
    const isAlive = (await client.run(came.runId)).endedAt === undefined;
    return { ...came, who: isAlive ? `; ${await whoGoesOn(client, typed)}` : "" };
  });
  if (json) {
    screen.line(jsonLine(taken));
    return EXIT.done;
  }
  const { runId, existed, runs, status, missing } = taken;
  if (existed) screen.line(`${runId} came in before; nothing was changed.`);
  else {
    screen.line(
      `Imported ${runId} (${count(runs, "run")}, ${status})${who}. See it: ${typed(`show ${runId}`)}`,
    );
  }
  for (const place of missing) io.stderr.write(`cadre: ${missingThere(place, "here")}\n`);
  return EXIT.done;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CadreError("USAGE", `${file} cannot be read (${reasonOf(error)}). Nothing was imported.`);
  }
}
