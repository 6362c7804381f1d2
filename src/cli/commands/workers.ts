// `cadre workers`: who drives runs of this store.

import type { WorkerView } from "../../api/schema.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { ago, count } from "../view/format.ts";
import { jsonLine, plainLine } from "../view/plain.ts";
import type { Paint } from "../view/screen.ts";
import { table } from "../view/table.ts";

export async function workers({ io, folder, json, screen, typed }: Invocation): Promise<number> {
  const found = await withClient({ folder, io }, (client) => client.workers());
  if (json) screen.line(jsonLine(found));
  else if (found.length === 0)
    screen.line(
      `Nobody drives runs here: start \`${typed("worker")}\`, \`${typed("up")}\` or \`${typed("run")}\`.`,
    );
  else for (const line of table(rowsOf(found, Date.now(), screen.paint))) screen.line(line);
  if (!json && found.some(({ silent }) => silent))
    screen.line(screen.paint("dim", "silent: dead, frozen or cut off; others take its runs"));
  if (!json && found.some(({ tooNew }) => tooNew))
    screen.line(screen.paint("dim", "too old: a newer version has written there; only newer workers go on"));
  return EXIT.done;
}

function rowsOf(found: readonly WorkerView[], now: number, paint: Paint): string[][] {
  return found.map(({ name, host, pid, pool, version, since, seenAt, silent, runs, tooNew }) => [
    plainLine(name),
    silent ? paint("red", `silent, seen ${ago(seenAt, now)}`) : "at work",
    `pool ${plainLine(pool)}`,
    count(runs, "run"),
    `process ${pid} on ${plainLine(host)}`,
    `version ${plainLine(version)}${tooNew ? paint("red", `, too old for ${count(tooNew, "run")}`) : ""}`,
    `started ${ago(since, now)}`,
  ]);
}
