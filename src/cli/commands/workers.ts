// `cadre workers`: lists the workers of this store and the runs each drives. It fails if runs wait and no worker drives them,
// so that it can be used for alerts.

import type { Health, WorkerView } from "../../api/client/types.ts";
import { ago, plural } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { noDriverLines } from "../view/drivers.ts";
import type { Paint } from "../view/screen.ts";
import { jsonLine, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function workers({ io, folder, json, screen, commandLine }: Invocation): Promise<number> {
  const [found, health] = await withClient({ folder, io }, (client) =>
    Promise.all([client.get("/api/workers").then(({ workers }) => workers), client.get("/api/health")]),
  );
  if (json) screen.line(jsonLine(found));
  else {
    for (const line of table(rowsOf(found, Date.now(), screen.paint))) screen.line(line);
    for (const line of holdLines(found)) screen.line(screen.paint("dim", line));
    for (const line of remarks(found, health)) screen.line(screen.paint("dim", line));
    for (const line of noDriverLines(health, commandLine)) screen.line(line);
  }
  return (health.due ?? 0) > 0 || health.idlePools ? EXIT.failed : EXIT.done;
}

function rowsOf(found: readonly WorkerView[], now: number, paint: Paint): string[][] {
  return found.map(({ name, host, pid, pool, version, since, seenAt, silent, runs, tooNew }) => [
    plainLine(name),
    silent ? paint("red", `silent, last seen ${ago(seenAt, now)}`) : "at work",
    `pool ${plainLine(pool)}`,
    plural(runs, "run"),
    `process ${pid} on ${plainLine(host)}`,
    `version ${plainLine(version)}${tooNew ? paint("red", `, too old for ${plural(tooNew, "run")}`) : ""}`,
    `started ${ago(since, now)}`,
  ]);
}

function holdLines(found: readonly WorkerView[]): string[] {
  return found.flatMap(({ name, silent, runs, holds }) => {
    if (holds.length === 0) return [];
    const more = runs > holds.length ? ` and ${runs - holds.length} more` : "";
    return [`${plainLine(name)} ${silent ? "drove" : "drives"} ${holds.join(", ")}${more}`];
  });
}

function remarks(found: readonly WorkerView[], { drives }: Health): string[] {
  const silent = `silent: dead, hanging or cut off${drives ? "; other workers take over its runs" : ""}`;
  return [
    ...(found.some((worker) => worker.silent) ? [silent] : []),
    ...(found.some(({ tooNew }) => tooNew)
      ? ["too old: a newer version wrote to those runs; only newer workers can continue them"]
      : []),
  ];
}
