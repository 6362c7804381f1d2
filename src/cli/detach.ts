// `--detach`: the run is recorded, and a process in the background stays with it: it drives what is left here, or follows
// whoever does until it is needed.

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
  const runId = await withClient({ folder, env: io.env, ...flags }, (client) =>
    beginOrder(client, order, yes === true, key),
  );
  // Even where somebody drives: that process leaves with its own run, and this one takes over.
  goOnInBackground(folder, yes === true);
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
