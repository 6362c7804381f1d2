// `--detach`: the run is recorded, and somebody else drives it: the process that owns the store, or one that is
// started in the background and goes on with whatever is left here.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { CadreError } from "../errors.ts";
import { withClient } from "./connect.ts";
import { EXIT, type Invocation } from "./io.ts";
import { beginOrder, type Order } from "./order.ts";
import { jsonLine } from "./view/plain.ts";

export async function detach(
  invocation: Invocation,
  order: Order,
  { yes, model }: { yes?: boolean; model?: string },
): Promise<number> {
  if (order.type === "rest")
    throw new CadreError("USAGE", 'A run in the background needs a task: cadre run --detach "what to do".');
  const { folder, io, json, screen } = invocation;
  const key = randomUUID();
  const flags = model === undefined ? {} : { flags: { model } };
  const { runId, drives } = await withClient({ folder, env: io.env, ...flags }, async (client) => ({
    runId: await beginOrder(client, order, yes === true, key),
    drives: (await client.health()).drives,
  }));
  if (!drives) goOnInBackground(folder, yes === true);
  screen.line(json ? jsonLine({ runId }) : runId);
  if (!json)
    io.stderr.write(`cadre: the run goes on in the background; follow it with cadre tail ${runId}\n`);
  return EXIT.done;
}

function goOnInBackground(folder: string, yes: boolean): void {
  const launcher = fileURLToPath(new URL("../../bin/cadre.js", import.meta.url));
  const args = [launcher, "run", "--json", "-C", folder, ...(yes ? ["--yes"] : [])];
  spawn(process.execPath, args, { cwd: folder, detached: true, stdio: "ignore" }).unref();
}
